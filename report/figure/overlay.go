package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/style"
)

// An Overlay draws values from other sources on a panel, as dashed lines or single marks with
// letters. They are grey to distinguish them from records.
type Overlay struct {
	From, To float64 // of the lines, on the x axis
	Numbers  []Number
}

// A Number is a value of an Overlay: a horizontal line if X is 0, otherwise a mark at X.
type Number struct {
	X, Y   float64
	Letter string // stands at it; the caption says what it is
	Text   string
}

var overlayLook = style.Series{
	Color: style.Grey,
	Line:  draw.LineStyle{Color: style.Grey, Width: 0.9, Dashes: []vg.Length{4, 2, 1, 2}},
	Glyph: draw.GlyphStyle{Color: style.Grey, Radius: 2.6, Shape: draw.CrossGlyph{}},
}

// OverlayKey returns the legend entry of an overlay of lines or marks.
func OverlayKey(name string, marks bool) Key {
	look := overlayLook
	if marks {
		look.Line.Width = 0
	} else {
		look.Glyph.Shape = nil
	}
	return Key{Name: name, Look: look}
}

// DataRange implements plot.DataRanger.
func (o Overlay) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = nothing()
	for _, n := range o.Numbers {
		y0, y1 = min(y0, n.Y), max(y1, n.Y)
		if n.X > 0 {
			x0, x1 = min(x0, n.X), max(x1, n.X)
		}
	}
	return x0, x1, y0, y1
}

// Plot implements plot.Plotter. Letters of lines that are close to each other are drawn side by
// side within the panel.
func (o Overlay) Plot(c draw.Canvas, p *plot.Plot) {
	text := style.Text(style.Small, true)
	text.Color = style.Grey
	text.XAlign, text.YAlign = draw.XCenter, draw.YCenter
	letter := func(n Number, at vg.Point) {
		at.Y = min(at.Y+5, c.Max.Y-5) // above its line, which may be at the lower border
		half := text.Width(n.Letter)/2 + 1
		c.FillPolygon(style.Transparent(style.Paper, 0.8), []vg.Point{{X: at.X - half, Y: at.Y - 3.2}, {X: at.X + half, Y: at.Y - 3.2}, {X: at.X + half, Y: at.Y + 3.8}, {X: at.X - half, Y: at.Y + 3.8}})
		c.FillText(text, at, n.Letter)
	}
	x0, x1 := c.X(p.X.Norm(o.From)), c.X(p.X.Norm(o.To))
	for _, n := range o.Numbers {
		if n.X == 0 {
			y := c.Y(p.Y.Norm(n.Y))
			c.StrokeLine2(overlayLook.Line, x0, y, x1, y)
		}
	}
	for i, n := range o.Numbers {
		y := c.Y(p.Y.Norm(n.Y))
		if n.X > 0 {
			at := vg.Point{X: c.X(p.X.Norm(n.X)), Y: y}
			c.DrawGlyph(overlayLook.Glyph, at)
			letter(n, vg.Point{X: at.X - 9*vg.Length(i+1), Y: y})
			continue
		}
		letter(n, vg.Point{X: x0 + (x1-x0)*(vg.Length(i)+0.5)/vg.Length(len(o.Numbers)), Y: y})
	}
}

// Marks implements Layer.
func (o Overlay) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	var marks []Mark
	for _, n := range o.Numbers {
		x := c.X(p.X.Norm((o.From + o.To) / 2))
		if n.X > 0 {
			x = c.X(p.X.Norm(n.X))
		}
		marks = append(marks, Mark{At: vg.Point{X: x, Y: c.Y(p.Y.Norm(n.Y))}, Text: n.Text})
	}
	return marks
}
