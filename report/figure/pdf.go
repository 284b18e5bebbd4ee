package figure

import (
	"image/color"
	"unicode"

	face "golang.org/x/image/font"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"

	"gobench/report/style"
)

// PDF is gonum's canvas for PDF, mended where it writes text.
type PDF struct{ *vgpdf.Canvas }

// NewPDF returns an empty page.
func NewPDF(width, height vg.Length) PDF { return PDF{vgpdf.New(width, height)} }

// SetColor implements vg.Canvas. The canvas takes colours that are mixed with black as far as they
// are seen through, and mixes them with what lies behind once more.
func (p PDF) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	p.Canvas.SetColor(straight(color.NRGBAModel.Convert(c).(color.NRGBA)))
}

// straight is a colour that says its parts as they are.
type straight color.NRGBA

// RGBA implements color.Color.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

// boldness is how far apart the two strokes of a bold letter are, relative to
// its size.
const boldness = 0.035

// FillString implements vg.Canvas. The canvas can embed one font only (it gives
// all of them the same name), so bold text is upright text written twice. It
// wants bytes of code page 1252; what that does not have becomes a question
// mark.
func (p PDF) FillString(f font.Face, at vg.Point, s string) {
	bytes := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok || unicode.IsControl(r) {
			b = '?'
		}
		bytes = append(bytes, b)
	}
	if f.Font.Weight == face.WeightBold {
		f = style.Upright(f)
		p.Canvas.FillString(f, at.Add(vg.Point{X: f.Font.Size * boldness}), string(bytes))
	}
	p.Canvas.FillString(f, at, string(bytes))
}
