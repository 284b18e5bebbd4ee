package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/cell"
	"gobench/report/style"
)

// Curve is a series over an axis: medians joined by a line, each with its mark,
// and the intervals as a band. Empty messages (X = 0) stand apart: no line goes
// there, because there is nothing between.
type Curve struct {
	Look  style.Series
	Cells []cell.Cell
	Scale float64                // from the unit of the record to that of the axis
	Tell  func(cell.Cell) string // what a reader is told of a cell
	Rings []float64              // X of cells with a ring: something changed there
}

// Band is the intervals of a curve. It is a layer of its own, below all lines.
type Band struct{ Curve }

// DataRange implements plot.DataRanger.
func (k Curve) DataRange() (x0, x1, y0, y1 float64) {
	x0, y0 = math.Inf(1), math.Inf(1)
	x1, y1 = math.Inf(-1), math.Inf(-1)
	for _, c := range k.Cells {
		lo, hi := c.Median*k.Scale, c.Median*k.Scale
		if c.Lo > 0 && c.Hi > 0 {
			lo, hi = c.Lo*k.Scale, c.Hi*k.Scale
		}
		x0, x1 = min(x0, c.X), max(x1, c.X)
		y0, y1 = min(y0, lo), max(y1, hi)
	}
	return x0, x1, y0, y1
}

func (k Curve) at(c *draw.Canvas, p *plot.Plot, x, y float64) vg.Point {
	return vg.Point{X: c.X(p.X.Norm(x)), Y: c.Y(p.Y.Norm(y * k.Scale))}
}

// Plot implements plot.Plotter.
func (k Curve) Plot(c draw.Canvas, p *plot.Plot) {
	var line []vg.Point
	for _, cell := range k.Cells {
		at := k.at(&c, p, cell.X, cell.Median)
		if cell.X > 0 {
			line = append(line, at)
		}
	}
	c.StrokeLines(k.Look.Line, c.ClipLinesXY(line)...)
	ring := draw.GlyphStyle{Color: k.Look.Color, Radius: 4.2, Shape: draw.RingGlyph{}}
	for _, cell := range k.Cells {
		at := k.at(&c, p, cell.X, cell.Median)
		if k.Look.Glyph.Shape != nil {
			c.DrawGlyph(k.Look.Glyph, at)
		}
		if slices.Contains(k.Rings, cell.X) {
			c.DrawGlyph(ring, at)
		}
	}
}

// Marks implements Layer.
func (k Curve) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	var marks []Mark
	for _, cell := range k.Cells {
		if at := k.at(&c, p, cell.X, cell.Median); c.Contains(at) && k.Tell != nil {
			marks = append(marks, Mark{At: at, Text: k.Tell(cell)})
		}
	}
	return marks
}

// Plot implements plot.Plotter.
func (b Band) Plot(c draw.Canvas, p *plot.Plot) {
	var upper, lower []vg.Point
	for _, cell := range b.Cells {
		if cell.Lo <= 0 || cell.Hi <= 0 {
			continue
		}
		hi, lo := b.at(&c, p, cell.X, cell.Hi), b.at(&c, p, cell.X, cell.Lo)
		c.StrokeLines(draw.LineStyle{Color: b.Look.Color, Width: 0.6}, c.ClipLinesXY([]vg.Point{lo, hi})...)
		if cell.X > 0 {
			upper, lower = append(upper, hi), append(lower, lo)
		}
	}
	slices.Reverse(lower)
	if outline := c.ClipPolygonXY(append(upper, lower...)); len(outline) > 2 {
		c.FillPolygon(style.Tint(b.Look.Color, 0.28), outline)
	}
}

// Marks implements Layer: the curve has them.
func (b Band) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }
