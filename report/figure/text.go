package figure

import (
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Wrap breaks text into lines of at most so much width. A word that is longer
// has a line of its own, cut where it must.
func Wrap(s string, sty text.Style, width vg.Length) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		for sty.Width(word) > width {
			n := len(word)
			for n > 1 && sty.Width(word[:n]) > width {
				n--
			}
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			lines = append(lines, word[:n])
			word = word[n:]
		}
		longer := strings.TrimSpace(line + " " + word)
		if sty.Width(longer) > width {
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
