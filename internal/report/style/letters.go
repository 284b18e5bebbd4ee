package style

import (
	"cmp"

	face "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// MinLetters is the size in points below which letters cannot be read in print.
const MinLetters = 7.0

// Small, Normal and Large return the sizes in points of ticks and notes, of labels and legends, and
// of titles.
func (s *Sheet) Small() float64  { return max(MinLetters, s.Normal()-(Normal-Small)) }
func (s *Sheet) Normal() float64 { return cmp.Or(s.Size.Points(), Normal) }
func (s *Sheet) Large() float64  { return s.Normal() + Large - Normal }

// Scale returns the factor of line widths and marks to letters of another size.
func (s *Sheet) Scale() vg.Length { return vg.Length(min(max(s.Normal()/Normal, 0.8), 2)) }

// Text returns the style of horizontal text of a size in points.
func (s *Sheet) Text(size float64, bold bool) text.Style {
	t := Text(size, bold)
	switch s.Font {
	case "serif":
		t.Font.Variant = "Serif"
	case "mono":
		t.Font.Variant = "Mono"
	}
	return t
}

// Bold returns the text style of the same letters in bold.
func Bold(t text.Style) text.Style {
	t.Font.Weight = face.WeightBold
	return t
}

// TotalWidth returns the width of a figure with its margins.
func (s *Sheet) TotalWidth() vg.Length {
	if s.Width > 0 {
		return s.Width
	}
	return Width + 2*s.Margin()
}

// Margin returns the space around a figure that is written alone.
func (s *Sheet) Margin() vg.Length {
	if s.Bare {
		return 7 // half of the widest mark, a circle, and its line: one may lie on the last tick
	}
	return 10
}

// InnerWidth returns the width of a figure without its margins.
func (s *Sheet) InnerWidth() vg.Length { return s.TotalWidth() - 2*s.Margin() }
