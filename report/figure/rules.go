package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/style"
)

// A Grid draws faint lines at the labelled ticks, behind all other layers.
type Grid struct{ NoX, NoY bool }

// Plot implements plot.Plotter.
func (g Grid) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: style.Faint, Width: 0.5}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(t.Value)); !t.IsMinor() && !g.NoY && c.ContainsY(y) {
			c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
		}
	}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := c.X(p.X.Norm(t.Value)); !t.IsMinor() && !g.NoX && c.ContainsX(x) {
			c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
		}
	}
}

// Marks implements Layer.
func (Grid) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }

// A Rule is a labelled line across a panel at one value, such as the rate of a link or ratio 1.
type Rule struct {
	At       float64
	Vertical bool
	Text     string // at the right or upper end
	Below    bool   // the text is below the line
	Color    color.NRGBA
	Dashes   []vg.Length
}

// Plot implements plot.Plotter.
func (r Rule) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: r.Color, Width: 0.8, Dashes: r.Dashes}
	text := lettersOf(p)
	text.Color = r.Color
	if r.Vertical {
		if x := c.X(p.X.Norm(r.At)); c.ContainsX(x) {
			c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
			text.YAlign = draw.YTop
			c.FillText(text, vg.Point{X: x + 2, Y: c.Max.Y}, r.Text)
		}
		return
	}
	y := c.Y(p.Y.Norm(r.At))
	if !c.ContainsY(y) {
		return
	}
	c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
	text.XAlign = draw.XRight
	if r.Below {
		text.YAlign = draw.YTop
	}
	c.FillText(text, vg.Point{X: c.Max.X - 2, Y: y}, r.Text)
}

// DataRange implements plot.DataRanger, so that the line is visible.
func (r Rule) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = nothing()
	if r.Vertical {
		return r.At, r.At, y0, y1
	}
	return x0, x1, r.At, r.At
}

// Marks implements Layer.
func (Rule) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }

var dotted = []vg.Length{1.5, 2}
