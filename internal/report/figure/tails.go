package figure

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// Tails draws the latency tail of each benchmark, a panel for each of at most tailSizes sizes.
func Tails(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return tailed(p, p.TimeKey()) })
	count := func(points []cell.Point) int {
		at, along, _ := tailAxis(points)
		return cell.Count(points, at, along...)
	}
	return eachBench(points, count, tails)
}

// tailed reports whether a metric of all launches of a point has percentiles.
func tailed(p cell.Point, metric string) bool {
	return !slices.ContainsFunc(p.All(), func(p cell.Point) bool {
		v := p.Metrics.Get(metric)
		return v.P99 == 0 || v.Min == 0 || v.Max <= v.P50
	})
}

// tailSizes bounds the panels of a figure.
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
	f := &Figure{Name: file(bench, p.name, "tails"), Title: headline(bench) + ": latency tail", Height: style.Row}
	at, along, where := tailAxis(p.points)
	series := cell.Split(p.points, key, at, along...)
	sizes := shared(series)
	chosen := few(sizes, tailSizes)
	series = f.limited(key, within(series, func(x float64) bool { return chosen[x] }))
	u := unitOf(key)
	var panels []*Panel
	var drawn [][]cell.Series // of each panel
	var points []cell.Point
	merged, single := 0, 0 // cells with and without histograms
	for _, x := range values(series) {
		panel := NewPanel("")
		panel.LogY()
		panel.X.Scale, panel.X.Tick.Marker = style.Log{}, style.Percentiles{}
		panel.Bench, panel.Shows = bench, Quantity{key, u.scale}
		panel.XLabel, panel.YLabel = "percentile of the events", timeLabel(key)+", "+u.name
		panel.Add(Grid{})
		var tails []cell.Series
		for _, s := range within(series, func(at float64) bool { return at == x }) {
			panel.Heading = where(s.Cells[0])
			points = append(points, pointsOf(s)...)
			if s.Cells[0].HasHistograms(key) {
				merged++
			} else {
				single++
			}
			tails = append(tails, cell.Series{Name: s.Name, Cells: s.Cells[0].Percentiles(key)})
		}
		panel.join(f.curves(tails, u, func(c cell.Cell) string {
			if c.X > 1 && c.OneEvent {
				events := 0
				for _, p := range c.Points {
					events += p.Metrics.Get(key).N
				}
				return panel.Heading + ", the slowest of " + human.Count(events, "event", "events")
			}
			return panel.Heading + ", " + style.Percentile(c.X)
		})...)
		panel.X.Max *= 1.3 // so that the last mark is not cut off
		panels, drawn = append(panels, panel), append(drawn, tails)
	}
	f.Rows = grid(panels)
	f.Title += ", " + surroundings(points)
	shown, of := replication(drawn...), "Percentiles: of each launch, because the records have no histograms."
	switch {
	case single == 0:
		shown = strings.Replace(shown, "median over", "percentiles over", 1)
		of = "Percentiles: of the events of all launches together, from their histograms (within 2.2 %)."
	case merged > 0:
		of = "Percentiles: of the events of all launches together where these have histograms (within 2.2 %), else of each launch."
	}
	f.Caption = join(sentence(bench, cell.Common(points)), shown,
		of, "Example: 1 % of the events took longer than the time at 99 %. First mark: the fastest event of all launches; last mark: the slowest. Lines guide the eye; both axes are logarithmic.", caveats(points))
	f.measured(points)
	if len(sizes) > len(chosen) {
		what := "sizes"
		if application(p.points[0]) {
			what = "numbers of ranks"
		}
		f.Remarks = append(f.Remarks, fmt.Sprintf("%d of %d %s are drawn: the smallest, the largest and one between them", len(chosen), len(sizes), what))
	}
	return f
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
