package figure

import (
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Wrap breaks text into lines of at most so much width. A word that is longer
// has a line of its own, cut where it must.
func Wrap(s string, sty text.Style, width vg.Length) []string {
	return wrap(s, sty.Width, width)
}

// wrap measures text with measure. What it measures grows with the length of s, not with its
// square, however long a word is.
func wrap(s string, measure func(string) vg.Length, width vg.Length) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		for {
			n := fitting(word, measure, width)
			if n == len(word) {
				break
			}
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			lines = append(lines, word[:n])
			word = word[n:]
		}
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && measure(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting returns the number of bytes at the begin of a word that fit into width, in whole
// characters and at least one of them. It doubles the length until it is too much and halves what
// is between, so that it never measures much more than what fits.
func fitting(word string, measure func(string) vg.Length, width vg.Length) int {
	whole := func(n int) int {
		for n < len(word) && !utf8.RuneStart(word[n]) {
			n++
		}
		return n
	}
	fits, most := 0, whole(min(8, len(word)))
	for measure(word[:most]) <= width {
		if fits = most; fits == len(word) {
			return fits
		}
		most = whole(min(2*most, len(word)))
	}
	for {
		middle := whole((fits + most) / 2)
		if middle >= most || middle == fits {
			middle = whole(fits + 1)
		}
		if middle >= most {
			break
		}
		if measure(word[:middle]) <= width {
			fits = middle
		} else {
			most = middle
		}
	}
	if fits == 0 {
		return whole(1)
	}
	return fits
}

// leading is the distance of lines of text, relative to their size.
const leading = 1.28

// TextHeight is what lines of a style take.
func TextHeight(lines int, sty text.Style) vg.Length {
	return vg.Length(lines) * sty.Font.Size * leading
}

// DrawText writes lines from the top of c on, and returns what is left of c.
func DrawText(c draw.Canvas, lines []string, sty text.Style) draw.Canvas {
	sty.YAlign = draw.YTop
	for _, line := range lines {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
		c.Max.Y -= sty.Font.Size * leading
	}
	return c
}
