// Package style defines the appearance of all figures: sans serif, sizes for print, colours that
// colour-blind readers can distinguish, and markers and dashes for copies in grey.
package style

import (
	"image/color"
	"slices"

	face "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes for print: a figure is as wide as the text of an A4 page.
const (
	Width     = 16.5 * vg.Centimeter // of a figure
	Row       = 6.2 * vg.Centimeter  // height of one row of panels
	Small     = 7.5                  // points: ticks, notes
	Normal    = 8.5                  // labels, legends
	Large     = 10.5                 // titles
	LineWidth = 1.2
)

// Basic colours.
var (
	Ink   = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff} // axes and text
	Grey  = color.NRGBA{R: 0x66, G: 0x66, B: 0x66, A: 0xff} // notes, ideal lines
	Faint = color.NRGBA{R: 0xe2, G: 0xe2, B: 0xe2, A: 0xff} // grids
	// Oversubscribed is the colour of marks with more ranks than cores.
	Oversubscribed = color.NRGBA{R: 0x8c, G: 0x8c, B: 0x8c, A: 0xff}
	Paper          = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// palette holds the colours of Okabe and Ito, "Color Universal Design" (2008), without yellow,
// which is hard to see on white, with the most different colours first.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, // blue
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, // vermilion
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, // green
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, // purple
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, // sky
	{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, // orange
	{R: 0x44, G: 0x44, B: 0x44, A: 0xff}, // dark
}

var dashes = [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 2, 1.5, 2}}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
	draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
}

// MaxSeries is the maximum number of series in one figure.
const MaxSeries = 12

// A Series is the appearance of one series.
type Series struct {
	Color color.NRGBA
	Line  draw.LineStyle
	Glyph draw.GlyphStyle
}

// Of returns the appearance of series number i of a figure, from 0. The first MaxSeries are
// distinct.
func Of(i int) Series {
	c := palette[i%len(palette)]
	return Series{
		Color: c,
		Line:  draw.LineStyle{Color: c, Width: LineWidth, Dashes: dashes[(i%len(palette)+i/len(palette))%len(dashes)]},
		Glyph: draw.GlyphStyle{Color: c, Radius: 2, Shape: glyphs[i%len(glyphs)]},
	}
}

// Tint mixes c with white so that share of it is left, for bands and boxes. The result is opaque,
// because not every printer supports transparency.
func Tint(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*float64(255-v)) }
	return color.NRGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: 0xff}
}

// Transparent returns c with opacity share, for bands that may overlap.
func Transparent(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(share * 0xff)
	return c
}

// handler sets text in fonts that are compiled into the program.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// Text returns the style of horizontal text of the given size in points.
func Text(size float64, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if bold {
		f.Weight = face.WeightBold
	}
	return text.Style{Color: Ink, Font: f, Handler: handler, XAlign: draw.XLeft, YAlign: draw.YBottom}
}

// Plot returns an empty plot with this appearance.
func Plot() *plot.Plot {
	p := plot.New()
	p.TextHandler = handler
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color, a.Width = Ink, 0.6
		x, y := a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = Text(Small, false)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = x, y
		a.Tick.LineStyle = draw.LineStyle{Color: Ink, Width: 0.6}
		a.Tick.Length = 4
		a.Tick.Marker = Linear{}
	}
	p.Y.Padding = 5 // marks at the first value do not cover the axis
	return p
}

// Pattern returns the number of the dashes of a look, 0 for a whole line, and that of its mark, for
// programs with patterns and marks of their own.
func Pattern(look Series) (dash, glyph int) {
	dash = slices.IndexFunc(dashes, func(d []vg.Length) bool { return slices.Equal(d, look.Line.Dashes) })
	return max(dash, 0), max(slices.Index(glyphs, look.Glyph.Shape), 0)
}
