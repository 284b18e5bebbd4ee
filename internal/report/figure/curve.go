package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
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
	Shift   vg.Length              // to the right, so that whiskers of several curves are side by side
}

// A Band draws the intervals of a curve as a transparent area. It is a separate layer, below all
// lines.
type Band struct{ Curve }

// Whiskers draws the intervals of a curve as vertical lines, if areas would hide each other and for
// ranges of few launches.
type Whiskers struct{ Curve }

// maxBands is the maximum number of bands in a panel; more curves have whiskers.
const maxBands = 4

// join adds curves, with all intervals below all lines.
func (p *Panel) join(curves ...Curve) {
	whiskers := whiskered(collect.Each(curves, func(c Curve) []cell.Cell { return c.Cells }))
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
	p.dodge()
}

// dodge moves the curves of a panel with whiskers apart, so that those at one position are side by
// side.
func (p *Panel) dodge() {
	var names []string
	whiskers := false
	for _, l := range p.Layers {
		switch l := l.(type) {
		case Curve:
			names = append(names, l.Name)
		case Whiskers:
			whiskers = true
		}
	}
	if !whiskers || len(names) < 2 {
		return
	}
	step := min(widestDodge/vg.Length(len(names)-1), maxDodge)
	for i, l := range p.Layers {
		shift := func(name string) vg.Length {
			return step * (vg.Length(slices.Index(names, name)) - vg.Length(len(names)-1)/2)
		}
		switch l := l.(type) {
		case Curve:
			l.Shift = shift(l.Name)
			p.Layers[i] = l
		case Whiskers:
			l.Shift = shift(l.Name)
			p.Layers[i] = l
		}
	}
}

// Distances of the whiskers at one position, from the first to the last and from one to the next.
const (
	widestDodge = vg.Length(7)
	maxDodge    = vg.Length(2.4)
)

// whiskered reports whether the intervals of the curves of a panel are drawn as whiskers.
func whiskered(curves [][]cell.Cell) bool {
	return len(curves) > maxBands || slices.ContainsFunc(curves, func(cells []cell.Cell) bool {
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
	return vg.Point{X: c.X(p.X.Norm(x)) + k.Shift, Y: c.Y(p.Y.Norm(y * k.Scale))}
}

// wider returns the canvas of a panel with room at its sides for curves that are moved apart.
func wider(c draw.Canvas) draw.Canvas {
	c.Min.X -= widestDodge / 2
	c.Max.X += widestDodge / 2
	return c
}

// Plot implements plot.Plotter.
func (k Curve) Plot(c draw.Canvas, p *plot.Plot) {
	room := wider(c)
	var line []vg.Point
	for _, cell := range k.Cells {
		at := k.at(&c, p, cell.X, cell.Median)
		if cell.X > 0 {
			line = append(line, at)
		}
	}
	c.StrokeLines(k.Look.Line, room.ClipLinesXY(line)...)
	ring := draw.GlyphStyle{Color: k.Look.Color, Radius: 2.1 * k.Look.Glyph.Radius, Shape: draw.RingGlyph{}}
	for _, cell := range k.Cells {
		at := k.at(&c, p, cell.X, cell.Median)
		glyph := k.Look.Glyph
		if oversubscribed(cell) {
			glyph.Color = style.Oversubscribed
		}
		if glyph.Shape != nil {
			room.DrawGlyph(glyph, at)
		}
		if slices.Contains(k.Rings, cell.X) {
			room.DrawGlyph(ring, at)
		}
	}
}

// Marks implements Marker.
func (k Curve) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	var marks []Mark
	room := wider(c)
	for _, cell := range k.Cells {
		if at := k.at(&c, p, cell.X, cell.Median); room.Contains(at) && k.Tooltip != nil {
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
	room, half := wider(c), vg.Length(2)
	if w.Shift != 0 {
		half = 1
	}
	for _, cell := range w.Cells {
		if cell.Lo <= 0 || cell.Hi <= 0 {
			continue
		}
		hi, lo := w.at(&c, p, cell.X, cell.Hi), w.at(&c, p, cell.X, cell.Lo)
		c.StrokeLines(line, room.ClipLinesXY([]vg.Point{lo, hi})...)
		for _, end := range []vg.Point{lo, hi} {
			if room.Contains(end) {
				c.StrokeLine2(line, end.X-half, end.Y, end.X+half, end.Y)
			}
		}
	}
}

// Marks implements Marker. The curve has the hover targets.
func (w Whiskers) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }

// Marks implements Marker. The curve has the hover targets.
func (b Band) Marks(draw.Canvas, *plot.Plot) []Mark { return nil }
