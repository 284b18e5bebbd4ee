package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/style"
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

// A Rule is a labelled line across a panel at one value, such as the rate of a link or ratio 1.
type Rule struct {
	At       float64
	Vertical bool
	Text     string // of a vertical line: beside its upper end
	Row      int    // of the text, from above
	Color    color.NRGBA
	Dashes   []vg.Length
}

// Plot implements plot.Plotter.
func (r Rule) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: r.Color, Width: 0.8, Dashes: r.Dashes}
	if r.Vertical {
		if x := c.X(p.X.Norm(r.At)); c.ContainsX(x) {
			c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
			r.drawText(c, x, lettersOf(p))
		}
		return
	}
	y := c.Y(p.Y.Norm(r.At))
	if !c.ContainsY(y) {
		return
	}
	c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
}

// drawText draws the text of a vertical line on paper, to the left of the line if there is room. It
// draws none in the lower half, where the curves are; the caption has it.
func (r Rule) drawText(c draw.Canvas, x vg.Length, text text.Style) {
	width, height := text.Width(r.Text), text.Font.Size
	left, top := x-width-2, c.Max.Y-vg.Length(r.Row)*(height+1)
	if r.Text == "" || top-height < c.Center().Y {
		return
	}
	if left < c.Min.X {
		left = x + 2
	}
	c.FillPolygon(style.Paper, []vg.Point{{X: left - 1, Y: top}, {X: left + width + 1, Y: top}, {X: left + width + 1, Y: top - height}, {X: left - 1, Y: top - height}})
	text.Color = r.Color
	c.FillText(text, vg.Point{X: left, Y: top - height + 1}, r.Text)
}

// DataRange implements plot.DataRanger, so that the line is visible.
func (r Rule) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = nothing()
	if r.Vertical {
		return r.At, r.At, y0, y1
	}
	return x0, x1, r.At, r.At
}

var dotted, dashed = []vg.Length{1.5, 2}, []vg.Length{4, 2}

// Ideal draws the line of linear speedup.
type Ideal struct{ Max float64 }

var idealLook = style.Series{Color: style.Grey, Line: draw.LineStyle{Color: style.Grey, Width: 0.8, Dashes: dotted}}

// Plot implements plot.Plotter.
func (i Ideal) Plot(c draw.Canvas, p *plot.Plot) {
	var line []vg.Point
	const steps = 64 // a straight line is a curve if only one axis is logarithmic
	for k := range steps + 1 {
		v := p.X.Min + (i.Max-p.X.Min)*float64(k)/steps
		line = append(line, vg.Point{X: c.X(p.X.Norm(v)), Y: c.Y(p.Y.Norm(v))})
	}
	c.StrokeLines(idealLook.Line, c.ClipLinesXY(line)...)
}

// DataRange implements plot.DataRanger, so that the line is visible.
func (i Ideal) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, _, _ = nothing()
	return x0, x1, 1, i.Max
}
