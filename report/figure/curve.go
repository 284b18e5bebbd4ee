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

// A Curve draws a series over an axis: medians as marks, joined by a line. Empty messages (X = 0)
// are not joined to the others.
type Curve struct {
	Name    string // of the series
	Look    style.Series
	Cells   []cell.Cell
	Scale   float64                // from the unit of the record to that of the axis
	Tooltip func(cell.Cell) string // text shown for a cell on hover
	Rings   []float64              // X of cells with a ring: the protocol or algorithm changes
}

// A Band draws the intervals of a curve as a transparent area. It is a separate layer, below all
// lines.
type Band struct{ Curve }

// Whiskers draws the intervals of a curve as vertical lines, if areas would hide each other and for
// ranges of few launches.
type Whiskers struct{ Curve }

// mostBands is the maximum number of bands in a panel; more curves have whiskers.
const mostBands = 4

// join adds curves, with all intervals below all lines.
func (p *Panel) join(curves ...Curve) {
	var cells [][]cell.Cell
	for _, c := range curves {
		cells = append(cells, c.Cells)
	}
	whiskers := whiskered(cells)
	for _, c := range curves {
		if whiskers {
			p.Add(Whiskers{c})
		} else {
			p.Add(Band{c})
		}
	}
	for _, c := range curves {
		p.Add(c)
	}
}

// whiskered reports whether the intervals of the curves of a panel are drawn as whiskers.
func whiskered(curves [][]cell.Cell) bool {
	return len(curves) > mostBands || slices.ContainsFunc(curves, func(cells []cell.Cell) bool {
		return slices.ContainsFunc(cells, func(c cell.Cell) bool { return c.Spread().Range() })
	})
}

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
		glyph := k.Look.Glyph
		if oversubscribed(cell) {
			glyph.Color = style.Oversubscribed
		}
		if glyph.Shape != nil {
			c.DrawGlyph(glyph, at)
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
		if at := k.at(&c, p, cell.X, cell.Median); c.Contains(at) && k.Tooltip != nil {
			marks = append(marks, Mark{At: at, Text: k.Tooltip(cell)})
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
		if cell.X > 0 {
			upper, lower = append(upper, hi), append(lower, lo)
		} else {
			c.StrokeLines(draw.LineStyle{Color: b.Look.Color, Width: 0.6}, c.ClipLinesXY([]vg.Point{lo, hi})...)
		}
	}
	slices.Reverse(lower)
	if outline := c.ClipPolygonXY(append(upper, lower...)); len(outline) > 2 {
		c.FillPolygon(style.Transparent(b.Look.Color, 0.22), outline)
	}
}

// Plot implements plot.Plotter.
func (w Whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: style.Transparent(w.Look.Color, 0.7), Width: 0.7}
	for _, cell := range w.Cells {
		if cell.Lo <= 0 || cell.Hi <= 0 {
			continue
		}
		hi, lo := w.at(&c, p, cell.X, cell.Hi), w.at(&c, p, cell.X, cell.Lo)
		c.StrokeLines(line, c.ClipLinesXY([]vg.Point{lo, hi})...)
		for _, end := range []vg.Point{lo, hi} {
			if c.Contains(end) {
				c.StrokeLine2(line, end.X-2, end.Y, end.X+2, end.Y)
			}
		}
	}
}

// Marks implements Layer. The curve has the hover targets.
func (w Whiskers) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }

// Marks implements Layer. The curve has the hover targets.
func (b Band) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }
