package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/style"
)

// LogY makes the y axis logarithmic.
func (p *Panel) LogY() {
	p.Y.Scale, p.Y.Tick.Marker = style.Log{}, style.Decades{}
}

// SizeX makes the x axis one of message sizes that covers all of them.
func (p *Panel) SizeX(sizes []float64, labels int) {
	scale := style.Sizes{Smallest: math.Inf(1)}
	largest := 0.0
	for _, s := range sizes {
		if s <= 0 {
			scale.Zero = true
		} else {
			scale.Smallest = min(scale.Smallest, s)
		}
		largest = max(largest, s)
	}
	if math.IsInf(scale.Smallest, 1) {
		scale.Smallest, largest = 1, 2
	}
	p.X.Scale = scale
	p.X.Tick.Marker = style.SizeTicks{Scale: scale, Labels: labels, Values: slices.Compact(slices.Sorted(slices.Values(sizes)))}
	p.XLabel = "message size"
	p.X.Min, p.X.Max = scale.Smallest, largest
	switch {
	case scale.Zero:
		p.X.Min, p.X.Max = 0, max(largest, scale.Smallest*2)
	case largest == scale.Smallest: // in the middle of the axis
		p.X.Min, p.X.Max = largest/2, largest*2
	}
}

// CountX makes the x axis one of numbers of ranks, in powers of two.
func (p *Panel) CountX(label string, counts []float64) {
	p.X.Scale = style.Log{}
	p.X.Tick.Marker = style.Counts{Values: counts}
	p.XLabel = label
	p.X.Min, p.X.Max = counts[0], counts[len(counts)-1]
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
	}
}

// Ranks extends the x axis to a number of ranks and labels it.
func (p *Panel) Ranks(n float64) {
	ticks, ok := p.X.Tick.Marker.(style.Counts)
	if ok && !slices.Contains(ticks.Values, n) {
		ticks.Values = slices.Sorted(slices.Values(append(slices.Clone(ticks.Values), n)))
		p.X.Tick.Marker = ticks
	}
	p.X.Min, p.X.Max = min(p.X.Min, n), max(p.X.Max, n)
}

// NameX makes the x axis one of categories at 0, 1, 2, ... Names that are wider than their columns
// are written upwards.
func (p *Panel) NameX(names []string) {
	p.columns = names
	p.X.Tick.Marker = style.Names(names)
	p.X.Tick.Length, p.X.Tick.LineStyle.Color = 3, style.Paper // a gap below the axis
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
}

// NameY makes the y axis one of categories at 0, 1, 2, ... from the top.
func (p *Panel) NameY(names []string) {
	p.rows = names
	p.Y.Tick.Marker = style.Names(names)
	p.Y.Tick.Length = 0
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
}

// finish sets the range of the y axis: with margins above and below if it is logarithmic, from 0 if
// it is linear with positive values only.
func (p *Panel) finish() {
	if p.Right != nil {
		p.Right.X = p.X
		p.Right.finish()
	}
	if _, log := p.Y.Scale.(style.Log); log {
		if p.Y.Min <= 0 || p.Y.Max < p.Y.Min || math.IsInf(p.Y.Max, 0) {
			p.Y.Min, p.Y.Max = 1, 10
		}
		if !p.finished {
			room := math.Pow(10, max(0.05*math.Log10(p.Y.Max/p.Y.Min), 0.03))
			p.Y.Min, p.Y.Max = unless(p.exact.y.lo, p.Y.Min, p.Y.Min/room), unless(p.exact.y.hi, p.Y.Max, p.Y.Max*room)
		}
	}
	if p.Y.Min > p.Y.Max {
		p.Y.Min, p.Y.Max = 0, 1
	}
	if _, linear := p.Y.Scale.(plot.LinearScale); linear && !p.finished {
		room := 0.04 * (p.Y.Max - p.Y.Min)
		if p.Y.Min != 0 {
			p.Y.Min = unless(p.exact.y.lo, p.Y.Min, p.Y.Min-room)
		}
		p.Y.Max = unless(p.exact.y.hi, p.Y.Max, p.Y.Max+room)
	}
	if p.X.Min > p.X.Max {
		p.X.Min, p.X.Max = 0, 1
	}
	p.finished = true
}

// unless returns the first value if it is exact, and the second one otherwise.
func unless(exact bool, v, other float64) float64 {
	if exact {
		return v
	}
	return other
}

// rightMargin returns the width of right axes.
func (f *Figure) rightMargin() (width vg.Length) {
	for _, p := range slices.Concat(f.Rows...) {
		if p == nil || p.Right == nil {
			continue
		}
		p.Right.finish()
		y := &p.Right.Y
		for _, t := range y.Tick.Marker.Ticks(y.Min, y.Max) {
			width = max(width, y.Tick.Label.Width(t.Label))
		}
		width += y.Tick.Length + 6 + vg.Length(f.sheet.Normal())*leading
	}
	return width
}

// drawRight draws the right axis and its layers, because a plot of gonum has only one y axis.
func (p *Panel) drawRight(data draw.Canvas, id string) []Mark {
	marks := p.drawLayers(data, id)
	x := data.Max.X
	data.StrokeLine2(p.Y.LineStyle, x, data.Min.Y, x, data.Max.Y)
	tick := p.Y.Tick.Label
	tick.XAlign, tick.YAlign = draw.XLeft, draw.YCenter
	var widest vg.Length
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		y := data.Y(p.Y.Norm(t.Value))
		if !data.ContainsY(y) {
			continue
		}
		length := p.Y.Tick.Length
		if t.IsMinor() {
			length /= 2
		} else {
			above := max(y, data.Min.Y+0.45*tick.Font.Size) // the label of the x axis is below
			data.FillText(tick, vg.Point{X: x + length + 2, Y: above}, t.Label)
			widest = max(widest, tick.Width(t.Label))
		}
		data.StrokeLine2(p.Y.Tick.LineStyle, x, y, x+length, y)
	}
	label := p.given.sheet.Text(p.given.sheet.Normal(), false)
	label.Rotation = math.Pi / 2
	label.XAlign, label.YAlign = draw.XCenter, draw.YTop
	data.FillText(label, vg.Point{X: x + p.Y.Tick.Length + widest + 6, Y: data.Center().Y}, p.YLabel)
	return marks
}

// nothing returns the range of a layer that does not extend an axis.
func nothing() (x0, x1, y0, y1 float64) {
	return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
}
