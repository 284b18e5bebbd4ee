package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/human"
	"gobench/record"
	"gobench/report/cell"
	"gobench/report/style"
)

// A Tail draws the share of events that took longer than a time, at the percentiles of the record.
// Marks are joined by lines; steps would suggest that events below a percentile took as long as the
// percentile.
type Tail struct {
	Look style.Series
	Time []float64 // µs
	Over []float64 // share of events that took longer; of the last, the slowest one, its own share
	Name string
	N    int // events
}

// DataRange implements plot.DataRanger.
func (t Tail) DataRange() (x0, x1, y0, y1 float64) {
	return t.Time[0], t.Time[len(t.Time)-1], t.Over[len(t.Over)-1], 1
}

// Plot implements plot.Plotter.
func (t Tail) Plot(c draw.Canvas, p *plot.Plot) {
	var line []vg.Point
	for i := range t.Time {
		line = append(line, t.at(&c, p, i))
	}
	c.StrokeLines(t.Look.Line, c.ClipLinesXY(line)...)
	for i := range t.Time {
		c.DrawGlyph(t.Look.Glyph, t.at(&c, p, i))
	}
}

func (t Tail) at(c *draw.Canvas, p *plot.Plot, i int) vg.Point {
	return vg.Point{X: c.X(p.X.Norm(t.Time[i])), Y: c.Y(p.Y.Norm(t.Over[i]))}
}

// Marks implements Layer.
func (t Tail) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	var marks []Mark
	for i := range t.Time {
		text := fmt.Sprintf("%s %% of events took longer than %s µs", style.Number(100*t.Over[i]), style.Number(t.Time[i]))
		if i == len(t.Time)-1 {
			text = fmt.Sprintf("the slowest of %s took %s µs", human.Count(t.N, "event", "events"), style.Number(t.Time[i]))
		}
		marks = append(marks, Mark{At: t.at(&c, p, i), Text: t.Name + ": " + text})
	}
	return marks
}

// Tails draws the latency tail, one line for each of at most three sizes of each series, one figure
// for each benchmark.
func Tails(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return tailed(p, p.TimeKey()) })
	count := func(points []cell.Point) int {
		at, along, _ := tailAxis(points)
		return tailSizes * cell.Count(points, at, along...)
	}
	return eachBench(points, count, tails)
}

// tailed reports whether a metric of a point has percentiles.
func tailed(p cell.Point, metric string) bool {
	v := p.Metrics.Get(metric)
	return v.P99 > 0 && v.Max > v.P50
}

// tailSizes bounds the sizes drawn of each series.
const tailSizes = 3

// tailAxis returns the axis along which cells are selected: the message size, or the number of
// ranks of an application.
func tailAxis(points []cell.Point) (at func(cell.Point) float64, along []cell.Factor, name func(cell.Cell) string) {
	if application(points[0]) {
		return ranks, []cell.Factor{cell.Ranks}, func(c cell.Cell) string { return cell.RanksName(int(c.X)) }
	}
	return size, nil, bySize
}

// shared returns the X that all series have in common, or all X if there are none.
func shared(all []cell.Series) []float64 {
	count := map[float64]int{}
	for _, s := range all {
		for _, c := range s.Cells {
			count[c.X]++
		}
	}
	xs := values(all)
	some := slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return count[x] < len(all) })
	if len(some) == 0 {
		return xs
	}
	return some
}

func tails(bench string, p part) *Figure {
	key := p.time
	p.points = slices.DeleteFunc(slices.Clone(p.points), func(p cell.Point) bool { return !tailed(p, key) })
	if len(p.points) == 0 {
		return nil
	}
	panel := NewPanel("")
	panel.LogY()
	panel.X.Scale, panel.X.Tick.Marker = style.Log{}, style.Decades{}
	panel.XLabel, panel.YLabel = timeLabel(key)+", µs", "share of events that took longer"
	panel.Add(Grid{})
	f := &Figure{Name: file(bench, p.name, "tails"), Title: headline(bench) + ": latency tail", Height: 1.3 * style.Row, Rows: [][]*Panel{{panel}}}
	at, along, where := tailAxis(p.points)
	series := cell.Split(p.points, key, at, along...)
	chosen := few(shared(series), tailSizes)
	drawable := f.tailsOf(key, series, chosen)
	var drawn []cell.Point
	launches := 0
	for _, s := range series {
		for _, c := range s.Cells {
			if !chosen[c.X] {
				continue
			}
			name := strings.TrimPrefix(s.Name+", "+where(c), ", ")
			if !slices.Contains(drawable, s.Name) {
				f.left = append(f.left, name)
				continue
			}
			look, ok := f.look(name)
			if !ok {
				continue
			}
			last := c.Points[len(c.Points)-1] // percentiles of several launches cannot be combined
			launches = max(launches, c.Launches())
			panel.Add(tail(last.Metrics.Get(key), name, look))
			drawn = append(drawn, last)
		}
	}
	panel.X.Min, panel.X.Max = panel.X.Min/1.1, panel.X.Max*1.1 // so that the outer marks are not clipped
	f.Title += ", " + surroundings(drawn)
	which := "One launch of each."
	if launches > 1 {
		which = fmt.Sprintf("Of up to %d launches the last: percentiles of several cannot be combined.", launches)
	}
	f.Caption = join(sentence(bench, cell.Common(drawn)), which,
		"Example: 1 % of events took longer than the time read at 0.01. Marks: minimum, 50, 90, 99 and 99.9 % and, last, the slowest event of all; the lines between them guide the eye. Both axes logarithmic.", caveats(drawn))
	f.measured(drawn)
	if all := shared(series); len(all) > len(chosen) {
		what := "sizes"
		if application(p.points[0]) {
			what = "numbers of ranks"
		}
		f.Notes = append(f.Notes, fmt.Sprintf("%d of %d %s are drawn: the smallest, the largest and one between them", len(chosen), len(all), what))
	}
	return f
}

// tailsOf returns the names of the series whose tails at the chosen positions can be distinguished.
func (f *Figure) tailsOf(metric string, series []cell.Series, chosen map[float64]bool) []string {
	at := within(series, func(x float64) bool { return chosen[x] })
	ranked := cell.Rank(cell.Contest{Metric: metric, Series: at})
	if n := len(ranked) * len(chosen); n > style.Most {
		return ranked[:max(1, style.Most/len(chosen))]
	}
	return ranked
}

func tail(v record.Value, name string, look style.Series) Tail {
	t := Tail{Look: look, Name: name, N: v.N}
	for _, q := range []struct{ time, over float64 }{{v.Min, 1}, {v.P50, 0.5}, {v.P90, 0.1}, {v.P99, 0.01}, {v.P999, 0.001}, {v.Max, 1 / float64(max(v.N, 1))}} {
		if q.time > 0 {
			t.Time, t.Over = append(t.Time, q.time*1e6), append(t.Over, q.over)
		}
	}
	return t
}

// few selects n of sorted values, including both ends.
func few(sorted []float64, n int) map[float64]bool {
	chosen := map[float64]bool{}
	for i := range n {
		if len(sorted) > 0 {
			chosen[sorted[i*(len(sorted)-1)/max(1, n-1)]] = true
		}
	}
	return chosen
}
