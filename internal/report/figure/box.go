package figure

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/style"
	"gobench/stats"
)

// A Box is a box plot at one position of a vertical axis of categories: a box from From to To, a
// line at the median, whiskers, and single values as points.
type Box struct {
	At, Width               float64 // on the y axis
	Low, From, Mid, To, End float64 // whisker, box, median, box, whisker
	Points                  []float64
	Color                   style.Series
	Text                    string
}

// DataRange implements plot.DataRanger.
func (b Box) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1 = b.Low, b.End
	for _, v := range b.Points {
		x0, x1 = min(x0, v), max(x1, v)
	}
	return x0, x1, b.At, b.At
}

// Plot implements plot.Plotter.
func (b Box) Plot(c draw.Canvas, p *plot.Plot) {
	y0, y, y1 := c.Y(p.Y.Norm(b.At-b.Width/2)), c.Y(p.Y.Norm(b.At)), c.Y(p.Y.Norm(b.At+b.Width/2))
	x := func(v float64) vg.Length { return c.X(p.X.Norm(v)) }
	line := draw.LineStyle{Color: b.Color.Color, Width: 0.9}
	c.StrokeLine2(line, x(b.Low), y, x(b.From), y)
	c.StrokeLine2(line, x(b.To), y, x(b.End), y)
	for _, v := range []float64{b.Low, b.End} {
		c.StrokeLine2(line, x(v), y-(y1-y0)/4, x(v), y+(y1-y0)/4)
	}
	corners := []vg.Point{{X: x(b.From), Y: y0}, {X: x(b.From), Y: y1}, {X: x(b.To), Y: y1}, {X: x(b.To), Y: y0}}
	c.FillPolygon(style.Tint(b.Color.Color, 0.25), corners)
	c.StrokeLines(line, append(corners, corners[0]))
	c.StrokeLine2(draw.LineStyle{Color: b.Color.Color, Width: 1.8}, x(b.Mid), y0, x(b.Mid), y1)
	dot := draw.GlyphStyle{Color: style.Ink, Radius: 0.9, Shape: draw.CircleGlyph{}}
	for i, v := range b.Points {
		// Values are drawn side by side so that equal ones can be counted.
		shift := vg.Length(0)
		if n := len(b.Points); n > 1 {
			shift = (y1 - y0) * 0.7 * (vg.Length(i)/vg.Length(n-1) - 0.5)
		}
		c.DrawGlyph(dot, vg.Point{X: x(v), Y: y + shift})
	}
}

// Marks implements Marker.
func (b Box) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	return []Mark{{At: vg.Point{X: c.X(p.X.Norm(b.Mid)), Y: c.Y(p.Y.Norm(b.At))}, Text: b.Text}}
}

// A Violin is a kernel density estimate, mirrored, behind a box.
type Violin struct {
	At, Width float64
	Values    []float64 // sorted
	Color     style.Series
}

// Plot implements plot.Plotter. The kernels are normal, with the bandwidth of Silverman's rule
// (Density Estimation, 1986, eq. 3.31).
func (v Violin) Plot(c draw.Canvas, p *plot.Plot) {
	const steps = 60
	lo, hi := v.Values[0], v.Values[len(v.Values)-1]
	h := bandwidth(v.Values)
	if h == 0 {
		return
	}
	density, largest := make([]float64, steps+1), 0.0
	for i := range density {
		at := lo - 2*h + (hi-lo+4*h)*float64(i)/steps
		for _, x := range v.Values {
			density[i] += math.Exp(-(at - x) * (at - x) / (2 * h * h))
		}
		largest = max(largest, density[i])
	}
	var left, right []vg.Point
	for i, d := range density {
		at := lo - 2*h + (hi-lo+4*h)*float64(i)/steps
		half := d / largest * v.Width / 2
		x := c.X(p.X.Norm(at))
		left = append(left, vg.Point{X: x, Y: c.Y(p.Y.Norm(v.At - half))})
		right = append([]vg.Point{{X: x, Y: c.Y(p.Y.Norm(v.At + half))}}, right...)
	}
	c.FillPolygon(style.Tint(v.Color.Color, 0.12), c.ClipPolygonXY(append(left, right...)))
}

func bandwidth(sorted []float64) float64 {
	spread := stat.StdDev(sorted, nil)
	if iqr := (stats.Quantile(sorted, 0.75) - stats.Quantile(sorted, 0.25)) / 1.34; iqr > 0 {
		spread = min(spread, iqr)
	}
	return 0.9 * spread * math.Pow(float64(len(sorted)), -0.2)
}

// boxOf returns the box plot of medians of launches. Whiskers reach to minimum and maximum.
func boxOf(sorted []float64) Box {
	return Box{
		Low: sorted[0], From: stats.Quantile(sorted, 0.25), Mid: stats.Quantile(sorted, 0.5), To: stats.Quantile(sorted, 0.75), End: sorted[len(sorted)-1],
		Points: sorted,
	}
}
