// Package series combines the points of a cell from the launches of a command to one row: the
// median of their medians, with its interval between launches. The unit is the launch, because
// thousands of samples within a launch do not predict the next one (Kalibera and Jones 2013; rule 8
// of docs/methods.md).
package series

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/bench/state"
	"gobench/bench/stats"
	"gobench/internal/lazyregexp"
)

// Rows returns the rows of cells in the order of their first points, one row for each state of the
// cores that occurred, nearest first. scale holds the least distance of the machine; the points are
// added to it.
//
// A row is a point with Launches. Of each metric, Median is the median of the launches, Lo and Hi
// are its interval between launches (absent below 6 launches), Within is the median of the half
// widths within a launch, N is the number of samples of all launches, percentiles are the medians
// of those of the launches, Min and Max are the extremes of all. Implausible rows have a warning.
func Rows(points []record.Point, scale *state.Scale) []record.Point {
	for i := range points {
		scale.NotePoint(&points[i])
	}
	cells := map[string]*cell{}
	var order []*cell
	for i := range points {
		p := &points[i]
		key := p.CellKey()
		c := cells[key]
		if c == nil {
			c = &cell{}
			cells[key] = c
			order = append(order, c)
		}
		c.add(scale.OfPoint(p), p)
		if !slices.Contains(c.runs, p.Run) {
			c.runs = append(c.runs, p.Run)
		}
	}
	var rows []record.Point
	for _, c := range order {
		rows = append(rows, c.rows()...)
	}
	doubt(rows, *scale)
	return rows
}

// A cell holds the points of a cell by the state of the cores.
type cell struct {
	states [state.Count][]*record.Point
	runs   []string // the launches
}

// add adds a point. A launch has one value for each state. If it has two points in one state,
// because its scale was another one, the point with more samples is used.
func (c *cell) add(in state.State, p *record.Point) {
	for i, other := range c.states[in] {
		if other.Run == p.Run {
			if p.Iterations > other.Iterations {
				c.states[in][i] = p
			}
			return
		}
	}
	c.states[in] = append(c.states[in], p)
}

// rows returns the rows of the states. If the cell has several states, it leaves out states that
// occurred in at most one launch of four, and points whose state changed.
func (c *cell) rows() []record.Point {
	most := 0
	for _, points := range c.states {
		most = max(most, len(points))
	}
	var rows []record.Point
	for s, points := range c.states {
		in, n := state.State(s), len(points)
		if n == 0 || n < most && (4*n <= len(c.runs) || in.Pair() == state.Changing) {
			continue
		}
		rows = append(rows, row(points, in, len(c.runs)))
	}
	return rows
}

// row summarises points of one cell and state, one of each launch in which the state occurred.
// launches is the number of all launches of the cell.
func row(points []*record.Point, in state.State, launches int) record.Point {
	metrics := all(points)
	main := Main(metrics)
	one := points[middle(points, main)]
	r := *one // other fields are those of the median launch
	r.Launches = len(points)
	r.Metrics = map[string]record.Value{}
	var caveats []string // warnings about the interval
	for key := range metrics {
		if derived(points, main, key) {
			continue
		}
		floor, most := 0.0, math.Inf(1)
		switch m, _ := record.Lookup(key); {
		case m.Time():
			floor = r.Floor
		case m.Share():
			most = 1
		}
		v, said := summarize(valuesOf(points, key), launchesOf(points), floor, most)
		if r.Metrics[key] = v; key == main {
			caveats = said
		}
	}
	for key, v := range one.Metrics {
		if _, ok := r.Metrics[key]; !ok && one.Metrics[main].Median > 0 {
			r.Metrics[key] = rate(r.Metrics[main], v.Median*one.Metrics[main].Median)
		}
	}
	r.Iterations, r.Checked, r.Invalid, r.WarmupDropped, r.Duration = 0, 0, 0, 0, 0
	r.StateDistance, r.StateShare, r.Steal = 0, 0, 0
	for _, p := range points {
		r.Iterations += p.Iterations
		r.Checked += p.Checked
		r.Invalid += p.Invalid
		r.WarmupDropped += p.WarmupDropped
		r.Duration += p.Duration
		r.StateShare += p.StateShare / float64(launches)
		r.Steal += p.Steal / float64(len(points))
	}
	r.StateShare = min(r.StateShare, 1)
	if d := distances(points); len(d) > 0 && in.Pair() != state.Unknown && in.Pair() != state.Changing {
		r.StateDistance = median(d)
	}
	var loops []float64
	for _, p := range points {
		loops = append(loops, p.Loop)
	}
	r.Loop = median(loops)
	r.Warnings = append(Warnings(points), caveats...)
	r.Launch, r.Block, r.Seed = 0, 0, 0
	if r.Round > 0 {
		r.Round = r.Launches
	}
	return r
}

// Main returns the key of the main metric of a row: its time, or else its first metric in the
// catalogue.
func Main(metrics map[string]record.Value) string {
	if key := record.TimeKey(metrics); key != "" {
		return key
	}
	for _, m := range record.Metrics {
		if _, ok := metrics[m.Key]; ok {
			return m.Key
		}
	}
	return ""
}

// all returns the metrics of all points, by key.
func all(points []*record.Point) map[string]record.Value {
	metrics := map[string]record.Value{}
	for _, p := range points {
		maps.Copy(metrics, p.Metrics)
	}
	return metrics
}

// derived reports whether a metric of points is an amount divided by their main metric, a time.
// This holds for rates of messages, and for rates of a run if all launches have the same amount,
// such as operations. It does not hold for the bandwidth to files, whose time is a part of the run.
func derived(points []*record.Point, main, key string) bool {
	m, _ := record.Lookup(key)
	switch {
	case key == main || !isTime(main):
		return false
	case main != "run_s":
		return m.Unit == "B/s" || m.Unit == "1/s" || m.Unit == "op/s"
	case m.Direction != record.Higher || len(points) < 2:
		return false
	}
	const rounding = 1e-6
	amount := points[0].Metrics[main].Median * points[0].Metrics[key].Median
	return !slices.ContainsFunc(points, func(p *record.Point) bool {
		return math.Abs(p.Metrics[main].Median*p.Metrics[key].Median-amount) > rounding*amount
	})
}

func isTime(key string) bool {
	m, _ := record.Lookup(key)
	return m.Time()
}

// middle returns the index of the point whose metric key is the (lower) median.
func middle(points []*record.Point, key string) int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(points[a].Metrics[key].Median, points[b].Metrics[key].Median)
	})
	return order[(len(order)-1)/2]
}

func valuesOf(points []*record.Point, key string) []record.Value {
	var values []record.Value
	for _, p := range points {
		if v, ok := p.Metrics[key]; ok {
			values = append(values, v)
		}
	}
	return values
}

func distances(points []*record.Point) []float64 {
	var list []float64
	for _, p := range points {
		for _, d := range []float64{p.StateDistance, p.DistanceBefore} {
			if d > 0 {
				list = append(list, d)
				break
			}
		}
	}
	return list
}

// launchesOf returns the statistics of the launches of points: without an order if the logs of some
// do not state when they were measured.
func launchesOf(points []*record.Point) func(medians []float64) stats.Summary {
	if slices.ContainsFunc(points, func(p *record.Point) bool { return p.Time.IsZero() }) {
		return stats.Unordered
	}
	return stats.Launches
}

// summarize returns the value of a metric from those of the launches, in the order of time, with
// warnings about its interval. floor is the resolution of the value, most its upper bound.
func summarize(values []record.Value, launches func([]float64) stats.Summary, floor, most float64) (record.Value, []string) {
	var medians, widths []float64
	var v record.Value
	for _, x := range values {
		medians = append(medians, x.Median)
		v.N += x.N
		v.EffectiveN += x.EffectiveN
		if x.Confidence > 0 && x.Median != 0 {
			widths = append(widths, max(x.Hi-x.Median, x.Median-x.Lo)/math.Abs(x.Median))
		}
		v.Max = max(v.Max, x.Max)
		v.Mean += x.Mean / float64(len(values)) // launches have equal weights
	}
	// 0 = absent, also for a skew
	v.Min = slices.MinFunc(values, func(a, b record.Value) int { return cmp.Compare(a.Min, b.Min) }).Min
	s := launches(medians).Widen(floor).AtMost(most)
	v.Median = s.P50
	if s.Lo > 0 { // a record cannot contain an interval that begins at zero
		v.Lo, v.Hi, v.Confidence = s.Lo, s.Hi, s.Confidence
	}
	if len(widths) == len(values) {
		v.Within = median(widths)
	}
	for _, of := range []func(*record.Value) *float64{
		func(v *record.Value) *float64 { return &v.P90 },
		func(v *record.Value) *float64 { return &v.P99 },
		func(v *record.Value) *float64 { return &v.P999 },
	} {
		var list []float64
		for i := range values {
			if q := *of(&values[i]); q > 0 {
				list = append(list, q)
			}
		}
		if len(list) == len(values) {
			*of(&v) = median(list)
		}
	}
	if v.P90 > 0 {
		v.P50 = v.Median
	}
	if len(values) < stats.LeastLaunches {
		return v, nil // too few for an interval: no warning
	}
	return v, s.Warnings
}

// rate returns the rate amount / v, where v is a time.
func rate(v record.Value, amount float64) record.Value {
	r := record.Value{Median: amount / v.Median, N: v.N, EffectiveN: v.EffectiveN, Confidence: v.Confidence, Within: v.Within}
	if v.Lo > 0 {
		r.Lo, r.Hi = amount/v.Hi, amount/v.Lo
	}
	return r
}

// median returns the median of values in any order.
func median(values []float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(values)), 0.5)
}

var numbers = lazyregexp.New(`[0-9][0-9.]*(e[+-][0-9]+)?`)

// WarningKind returns the text of a warning with 0 in place of its numbers. Warnings of one kind
// are equal in it.
func WarningKind(text string) string { return numbers.ReplaceAllString(text, "0") }

// Warnings merges the warnings of points, one of each launch. A warning that not all launches have
// begins with their number.
func Warnings(points []*record.Point) []string {
	texts := make([][]string, len(points))
	for i, p := range points {
		texts[i] = p.Warnings
	}
	return Merge(texts, "launches")
}

// Merge merges the warnings of several things, such as launches. Warnings that differ only in their
// numbers are merged into the first of them. A warning that not all things have begins with their
// number: "in 2 of 8 launches: ".
func Merge(all [][]string, things string) []string {
	type kind struct {
		first string
		of    map[int]bool
	}
	kinds := map[string]*kind{}
	var order []*kind
	for i, warnings := range all {
		for _, w := range warnings {
			name := WarningKind(w)
			k := kinds[name]
			if k == nil {
				k = &kind{first: w, of: map[int]bool{}}
				kinds[name] = k
				order = append(order, k)
			}
			k.of[i] = true
		}
	}
	var list []string
	for _, k := range order {
		if len(k.of) == len(all) || strings.HasPrefix(k.first, record.SelfTest) {
			list = append(list, k.first)
		} else {
			list = append(list, fmt.Sprintf("in %d of %d %s: %s", len(k.of), len(all), things, k.first))
		}
	}
	return list
}
