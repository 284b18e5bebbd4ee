package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/style"
)

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
