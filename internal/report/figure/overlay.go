package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/style"
)

// An Overlay draws values from other sources on a panel, as dashed lines or single marks with
// letters. They are grey to distinguish them from records. A value that is only a bound has an
// arrow to the side on which the value lies.
type Overlay struct {
	From, To float64 // of the lines, on the x axis
	Numbers  []Number
	Beside   []Layer // letters of lines avoid the curves among these layers if there is room
}

// A Number is a value of an Overlay: a mark at X if it is Marked, otherwise a horizontal line.
type Number struct {
	X, Y   float64
	Marked bool
	Bound  int    // 1: the value is above Y, -1: below
	Letter string // drawn at the value and explained in the caption
	Text   string
}

var overlayLook = style.Series{
	Color: style.Grey,
	Line:  draw.LineStyle{Color: style.Grey, Width: 0.9, Dashes: []vg.Length{4, 2, 1, 2}},
	Glyph: draw.GlyphStyle{Color: style.Grey, Radius: 3, Shape: diamond{}},
}

// diamond is the mark of overlays; no series has it.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, look draw.GlyphStyle, at vg.Point) {
	r := look.Radius
	c.FillPolygon(look.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

// OverlayKey returns the legend entry of overlays of lines, marks or both.
func OverlayKey(name string, lines, marks bool) Key {
	look := overlayLook
	if !lines {
		look.Line.Width = 0
	}
	if !marks {
		look.Glyph.Shape = nil
	}
	return Key{Name: name, Look: look}
}

// DataRange implements plot.DataRanger.
func (o Overlay) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = nothing()
	for _, n := range o.Numbers {
		y0, y1 = min(y0, n.Y), max(y1, n.Y)
		if n.Marked {
			x0, x1 = min(x0, n.X), max(x1, n.X)
		}
	}
	return x0, x1, y0, y1
}

// Plot implements plot.Plotter. Letters are drawn within the panel. Those of lines are distributed
// along the x axis, so that they do not overlap if lines are close to each other; those of marks
// are beside the mark.
func (o Overlay) Plot(c draw.Canvas, p *plot.Plot) {
	text := style.Bold(lettersOf(p))
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
		if !n.Marked {
			y := c.Y(p.Y.Norm(n.Y))
			c.StrokeLine2(overlayLook.Line, x0, y, x1, y)
		}
	}
	var assigned []vg.Point // letters of marks
	curves := o.curves(c, p)
	for i, n := range o.Numbers {
		at := vg.Point{Y: c.Y(p.Y.Norm(n.Y))}
		if !n.Marked {
			at.X = x0 + (x1-x0)*o.share(i, func(share float64) bool {
				x := x0 + (x1-x0)*vg.Length(share)
				return slices.ContainsFunc(curves, func(q vg.Point) bool { return max(x-q.X, q.X-x) < apart*0.7 && max(at.Y+5-q.Y, q.Y-at.Y-5) < apart*0.7 })
			})
			arrow(c, vg.Point{X: at.X + text.Width(n.Letter), Y: at.Y}, n.Bound)
			letter(n, at)
			continue
		}
		at.X = c.X(p.X.Norm(n.X))
		c.DrawGlyph(overlayLook.Glyph, at)
		arrow(c, at, n.Bound)
		step := -apart // to the left, unless the border is close
		if at.X-3*apart < c.Min.X {
			step = apart
		}
		at.Y -= 4
		at.X += step
		for slices.ContainsFunc(assigned, func(q vg.Point) bool { return max(at.X-q.X, q.X-at.X) < apart && max(at.Y-q.Y, q.Y-at.Y) < apart }) {
			at.X += step
		}
		assigned = append(assigned, at)
		letter(n, at)
	}
}

// apart is the distance of letters.
const apart = vg.Length(9)

// share returns the position of the letter of line i, as a share of the length of the lines. The
// length is divided into equal parts, one for each value. The position is the free one nearest to
// the middle of part i, or the middle if none is free.
func (o Overlay) share(i int, taken func(share float64) bool) vg.Length {
	const steps = 8 // to either side
	part := 1 / float64(len(o.Numbers))
	middle := (float64(i) + 0.5) * part
	for step := range steps {
		for _, side := range []float64{-1, 1} {
			if at := middle + side*float64(step)*part/2*0.7/steps; !taken(at) {
				return vg.Length(at)
			}
		}
	}
	return vg.Length(middle)
}

// curves returns points along the curves beside the overlay, closer together than letters are wide.
func (o Overlay) curves(c draw.Canvas, p *plot.Plot) (all []vg.Point) {
	for _, l := range o.Beside {
		curve, ok := l.(Curve)
		if !ok {
			continue
		}
		for i, cell := range curve.Cells {
			at := curve.at(&c, p, cell.X, cell.Median)
			all = append(all, at)
			if i == 0 || curve.Cells[i-1].X == 0 {
				continue
			}
			before := curve.at(&c, p, curve.Cells[i-1].X, curve.Cells[i-1].Median)
			pieces := math.Ceil(math.Hypot(float64(at.X-before.X), float64(at.Y-before.Y)) / 4)
			for k := 1.0; k < pieces; k++ {
				f := vg.Length(k / pieces)
				all = append(all, vg.Point{X: before.X + f*(at.X-before.X), Y: before.Y + f*(at.Y-before.Y)})
			}
		}
	}
	return all
}

// arrow draws an arrow from a point, up for direction 1, down for -1, none for 0. It ends at the
// border at the latest.
func arrow(c draw.Canvas, from vg.Point, direction int) {
	if direction == 0 {
		return
	}
	const length, wing = 8, 2
	line := draw.LineStyle{Color: style.Grey, Width: overlayLook.Line.Width}
	up := vg.Length(direction)
	from.Y = max(c.Min.Y, min(from.Y+up*length, c.Max.Y)) - up*length
	tip := vg.Point{X: from.X, Y: from.Y + up*length}
	c.StrokeLines(line, []vg.Point{from, tip}, []vg.Point{{X: tip.X - wing, Y: tip.Y - up*wing}, tip, {X: tip.X + wing, Y: tip.Y - up*wing}})
}

// Marks implements Marker.
func (o Overlay) Marks(c draw.Canvas, p *plot.Plot) (marks []Mark) {
	for _, n := range o.Numbers {
		x := c.X(p.X.Norm((o.From + o.To) / 2))
		if n.Marked {
			x = c.X(p.X.Norm(n.X))
		}
		marks = append(marks, Mark{At: vg.Point{X: x, Y: c.Y(p.Y.Norm(n.Y))}, Text: n.Text})
	}
	return marks
}
