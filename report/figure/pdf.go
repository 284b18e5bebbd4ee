package figure

import (
	"image/color"
	"os"
	"strconv"
	"sync"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	face "golang.org/x/image/font"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"

	"gobench/report/style"
)

// PDF is gonum's canvas for PDF with corrected text and transparency.
type PDF struct{ *vgpdf.Canvas }

// defaults protects the defaults of package fpdf, by which the embedded canvas is made.
var defaults sync.Mutex

// NewPDF returns an empty page. Files of equal pages are equal if the environment has
// SOURCE_DATE_EPOCH, the date that they bear in seconds since 1970.
//
// Source: reproducible-builds.org, SOURCE_DATE_EPOCH.
func NewPDF(width, height vg.Length) PDF {
	defaults.Lock()
	defer defaults.Unlock()
	date := time.Time{} // the time of writing
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		date = time.Unix(seconds, 0).UTC()
	}
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(date)
	fpdf.SetDefaultModificationDate(date)
	return PDF{vgpdf.New(width, height)}
}

// SetColor implements vg.Canvas. The embedded canvas expects colours without premultiplied alpha,
// although color.Color.RGBA returns premultiplied values.
func (p PDF) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	p.Canvas.SetColor(straight(color.NRGBAModel.Convert(c).(color.NRGBA)))
}

// straight is a colour whose RGBA method does not premultiply alpha.
type straight color.NRGBA

// RGBA implements color.Color.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

// boldness is the distance of the two strokes of a bold letter, relative to the font size.
const boldness = 0.035

// FillString implements vg.Canvas. The embedded canvas supports one font only, because it gives all
// fonts the same name, so bold text is regular text written twice. It expects code page 1252; other
// characters become question marks.
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
