package figure

import (
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/lazyregexp"
)

// Wrap breaks text into lines of at most the given width. Longer words are split.
func Wrap(s string, sty text.Style, width vg.Length) []string {
	return wrap(s, sty.Width, width)
}

// wrap is Wrap with a given measure. The total length of the text that it measures is linear in the
// length of s, also if words are long.
func wrap(s string, measure func(string) vg.Length, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range words(s) {
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

// words returns the words of a text. The groups of digits of a number ("10 561") are one word.
func words(s string) []string {
	all := strings.Fields(s)
	n := 0
	for i, w := range all {
		if i > 0 && len(all[n-1]) < longestNumber && group.MatchString(w) && digit.MatchString(all[n-1]) {
			all[n-1] += " " + w
			continue
		}
		all[n] = w
		n++
	}
	return all[:n]
}

// longestNumber bounds the length of a word with a number, so that the time of words is linear for
// every text.
const longestNumber = 40

var (
	digit = lazyregexp.New(`(^|[^0-9])[0-9]{1,3}( [0-9]{3})*$`) // a number that may continue
	group = lazyregexp.New(`^[0-9]{3}([^0-9]|$)`)
)

// fitting returns the length in bytes of the longest prefix of a word that fits into width, in
// whole characters and at least one. It doubles the length until it is too long and then bisects,
// so that it never measures much more than the result.
func fitting(word string, measure func(string) vg.Length, width vg.Length) int {
	whole := func(n int) int {
		for n < len(word) && !utf8.RuneStart(word[n]) {
			n++
		}
		return n
	}
	fits, largest := 0, whole(min(8, len(word)))
	for measure(word[:largest]) <= width {
		if fits = largest; fits == len(word) {
			return fits
		}
		largest = whole(min(2*largest, len(word)))
	}
	for {
		middle := whole((fits + largest) / 2)
		if middle >= largest || middle == fits {
			middle = whole(fits + 1)
		}
		if middle >= largest {
			break
		}
		if measure(word[:middle]) <= width {
			fits = middle
		} else {
			largest = middle
		}
	}
	if fits == 0 {
		return whole(1)
	}
	return fits
}

// leading is the distance of lines of text, relative to the font size.
const leading = 1.28

// TextHeight returns the height of lines of a style.
func TextHeight(lines int, sty text.Style) vg.Length {
	return vg.Length(lines) * sty.Font.Size * leading
}

// DrawText writes lines from the top of c and returns the rest of c.
func DrawText(c draw.Canvas, lines []string, sty text.Style) draw.Canvas {
	sty.YAlign = draw.YTop
	for _, line := range lines {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
		c.Max.Y -= sty.Font.Size * leading
	}
	return c
}
