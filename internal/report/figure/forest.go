package figure

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/compare"
	"gobench/internal/report/style"
)

// A Ratio is one row of a forest plot: the time of one side relative to the other, with its
// interval.
type Ratio struct {
	Row     float64 // place on the axis of names
	At      float64 // 1 = no difference, 2 = takes twice as long
	Lo, Hi  float64 // zero = no interval
	Verdict compare.Verdict
	Text    string
}

// looks of the verdicts. Colours only repeat the information of marks and positions.
var looks = map[compare.Verdict]style.Series{
	compare.Faster:  verdict(2, draw.PyramidGlyph{}),
	compare.Slower:  verdict(1, draw.SquareGlyph{}),
	compare.Same:    verdict(0, draw.CircleGlyph{}),
	compare.Unclear: {Color: style.Grey, Line: draw.LineStyle{Color: style.Grey, Width: 1}, Glyph: draw.GlyphStyle{Color: style.Grey, Radius: 2.2, Shape: draw.RingGlyph{}}},
}

func verdict(colour int, shape draw.GlyphDrawer) style.Series {
	s := style.Of(colour)
	s.Line.Dashes = nil
	s.Glyph.Shape, s.Glyph.Radius = shape, 2.2
	return s
}

// DataRange implements plot.DataRanger.
func (r Ratio) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = r.At, r.At, r.Row, r.Row
	if r.Lo > 0 {
		// A very wide interval must not squeeze all others.
		x0, x1 = max(r.Lo, r.At/10), min(r.Hi, r.At*10)
	}
	return min(x0, 0.95), max(x1, 1.05), y0, y1
}

// Plot implements plot.Plotter.
func (r Ratio) Plot(c draw.Canvas, p *plot.Plot) {
	look := looks[r.Verdict]
	y := c.Y(p.Y.Norm(r.Row))
	if r.Lo > 0 {
		line := []vg.Point{{X: c.X(p.X.Norm(r.Lo)), Y: y}, {X: c.X(p.X.Norm(r.Hi)), Y: y}}
		c.StrokeLines(look.Line, c.ClipLinesX(line)...)
	}
	c.DrawGlyph(look.Glyph, vg.Point{X: c.X(p.X.Norm(r.At)), Y: y})
}

// Marks implements Marker.
func (r Ratio) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	return []Mark{{At: vg.Point{X: c.X(p.X.Norm(r.At)), Y: c.Y(p.Y.Norm(r.Row))}, Text: r.Text}}
}

// Noise draws the band around 1 within which a ratio is below the threshold, for one row.
type Noise struct{ Row, Threshold float64 }

// Plot implements plot.Plotter.
func (n Noise) Plot(c draw.Canvas, p *plot.Plot) {
	x0, x1 := c.X(p.X.Norm(1/(1+n.Threshold))), c.X(p.X.Norm(1+n.Threshold))
	y0, y1 := c.Y(p.Y.Norm(n.Row-0.5)), c.Y(p.Y.Norm(n.Row+0.5))
	c.FillPolygon(style.Tint(style.Grey, 0.18), c.ClipPolygonXY([]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}))
}

// ratioTooltip formats the hover text of a row.
func ratioTooltip(name string, r *compare.Row, at float64) string {
	s := fmt.Sprintf("%s: %s takes %s times as long as %s, %s", name, SideName(r.Side), style.Number(at), SideName(r.Base), Verdict(r.Verdict))
	if r.Why != "" {
		s += " (" + r.Why + ")"
	}
	u := unitOf(r.Metric.Key)
	s += fmt.Sprintf("; %s and %s", u.write(r.A.Median), u.write(r.B.Median))
	if r.Confidence > 0 {
		p := style.Number(r.P)
		if r.P < 0.0001 {
			p = "< 0.0001"
		}
		s += fmt.Sprintf(", p %s, %d and %d launches", p, r.NA, r.NB)
	}
	return s
}
