package cell

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

// A Series holds cells that differ only in their position on an axis.
type Series struct {
	Name  string // the factors in which it differs from the other series
	Cells []Cell // in the order of X
}

// A Cell holds the values of one metric over all launches of one configuration.
type Cell struct {
	X      float64
	Points []Point // one for each launch, in their order

	// Median of the only launch, or of the medians of all launches. Lo and Hi are the interval
	// inside the only launch or the interval between launches; with fewer than six launches they
	// are the minimum and maximum of the launches. Both are 0 if unknown.
	Median, Lo, Hi float64
	OneEvent       bool // Median is the time of one event of all launches

	spread Spread
	metric string    // key
	of     *launches // whose points are exactly those of the cell; nil = there are none
	rows   []Point   // see Rows
}

// A Spread is the meaning of the bounds of a cell. Weaker ones come first.
type Spread int

const (
	Bare     Spread = iota // no bounds: too few samples
	Within                 // 95 % confidence interval inside the only launch
	Few                    // range of two to five launches
	Drifting               // range of launches that drift or depend on each other (see stats.Launches)
	Between                // 95 % confidence interval between launches
)

// Range reports whether the bounds are a range of launches and no interval.
func (s Spread) Range() bool { return s == Few || s == Drifting }

// Spread returns the meaning of Lo and Hi.
func (c Cell) Spread() Spread {
	if c.Lo == 0 || c.Hi == 0 {
		return Bare
	}
	return c.spread
}

// Rows returns the rows that stand for the points of the cell, or the points where there are none.
func (c Cell) Rows() []Point {
	if c.rows == nil {
		return c.Points
	}
	return c.rows
}

// Launches returns the number of launches that measured the cell.
func (c Cell) Launches() int { return len(c.Points) }

// Split groups points into series along an axis. x returns the position of a point, and points
// without the metric are dropped. Factors in along do not separate series, because x represents
// them.
func Split(points []Point, metric string, x func(Point) float64, along ...Factor) []Series {
	points = having(points, metric)
	return SplitBy(points, metric, x, DistinguishingFactors(points, x, along...))
}

// having returns the points with a metric.
func having(points []Point, metric string) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !p.Has(metric) })
}

// Count returns the number of series that Split returns if all points have the metric.
func Count(points []Point, x func(Point) float64, along ...Factor) int {
	return classes(representatives(points), DistinguishingFactors(points, x, along...))
}

// SplitBy is Split with given factors. Panels that share factors give a name the same meaning.
func SplitBy(points []Point, metric string, x func(Point) float64, by []Factor) []Series {
	label := labels(by)
	groups := collect.By(having(points, metric), label)
	names := collect.Each(groups, func(some []Point) string { return label(some[0]) })
	if i := slices.Index(names, ""); i >= 0 && len(names) > 1 {
		name := unnamed(points, by)
		for slices.Contains(names, name) { // a level of that name
			name += " "
		}
		names[i] = name
	}
	all := make([]Series, 0, len(names))
	for i, some := range groups {
		all = append(all, Series{Name: names[i], Cells: cells(some, metric, x)})
	}
	slices.SortFunc(all, func(a, b Series) int { return natural(a.Name, b.Name) })
	return all
}

// labels returns Label with some factors, which it calls once for each group.
func labels(by []Factor) func(Point) string {
	known := map[*group]string{}
	return func(p Point) string {
		name, ok := known[p.group()]
		if !ok {
			name = Label(p, by)
			known[p.group()] = name
		}
		return name
	}
}

// Label returns the levels of factors. Default levels are omitted unless all are defaults.
func Label(p Point, by []Factor) string {
	var words, said []string
	for _, f := range by {
		s := f.Of(p)
		if s == "" {
			continue
		}
		words = append(words, s)
		if !f.isDefault(p) {
			said = append(said, s)
		}
	}
	if len(said) > 0 {
		words = said
	}
	return strings.Join(words, ", ")
}

// absent has words for the absence of factors whose name does not say it.
var absent = map[string]string{"placement": "placed host by host", "algorithm": "any algorithm", "label": "not labelled"}

// unnamed returns the name of the series without a level of any of the factors: what it lacks.
func unnamed(points []Point, by []Factor) string {
	for _, f := range by {
		if slices.ContainsFunc(points, func(p Point) bool { return f.Of(p) != "" }) {
			if words := absent[f.Name]; words != "" {
				return words
			}
			return "no " + strings.ReplaceAll(f.Name, "_", " ")
		}
	}
	return "others"
}

func cells(points []Point, metric string, x func(Point) float64) []Cell {
	all := collect.Each(collect.By(points, x), func(some []Point) Cell { return Cell{X: x(some[0]), Points: some} })
	slices.SortFunc(all, func(a, b Cell) int { return cmp.Compare(a.X, b.X) })
	usual := usualState(all)
	for i := range all {
		all[i].choose(usual, metric)
	}
	return all
}

// Of returns the cell of points of one configuration: the values of a metric in the state of the
// cores in which most launches were. At least one point has the metric.
func Of(points []Point, metric string) Cell {
	c := Cell{Points: having(points, metric)}
	c.choose(usualState([]Cell{c}), metric)
	return c
}

// choose reduces the points to one state of the cores and to one point for each launch, that with
// most samples, and summarises them.
func (c *Cell) choose(usual state.State, metric string) {
	points := ofOneState(c.Points, usual)
	c.of = launchesOf(points)
	if len(points) == 1 {
		c.Points = points[0].All()
	} else {
		c.Points = Every(points)
		slices.SortStableFunc(c.Points, func(a, b Point) int { return cmp.Compare(a.at, b.at) })
	}
	if c.rows = points; c.of == nil {
		c.Points = onePerLaunch(c.Points)
		c.rows = c.Points
	}
	c.summarize(metric)
}

// launchesOf returns the launches whose points are exactly those for which some points stand, nil
// if there are none.
func launchesOf(points []Point) *launches {
	first := points[0].in
	if len(points) == 1 && points[0].whole {
		return first.own
	}
	if first == nil || len(first.launches.points) != Records(points) || slices.ContainsFunc(points, func(p Point) bool { return p.in == nil || p.in.launches != first.launches }) {
		return nil
	}
	return first.launches
}

// value returns the value of a metric over the launches of the cell.
func (c *Cell) value(metric string) record.Value {
	if c.of != nil {
		return c.of.value(metric)
	}
	v, _ := series.Value(records(c.Points), metric)
	return v
}

// onePerLaunch returns one point for each launch, that with most samples.
func onePerLaunch(points []Point) []Point {
	launches := collect.By(points, func(p Point) string { return p.Point.Run })
	return collect.Each(launches, func(some []Point) Point {
		return slices.MaxFunc(some, func(a, b Point) int { return cmp.Compare(a.Iterations, b.Iterations) })
	})
}

// usualState returns the state of the cores in which most cells of a series were measured; on a tie
// the one with most points, then the faster one. A line should not change between near and far
// cores where that can be avoided.
func usualState(all []Cell) state.State {
	var cells, points [state.Count]int
	for _, c := range all {
		var seen [state.Count]bool
		for _, p := range c.Points {
			in := p.State()
			points[in] += p.number()
			if !seen[in] {
				seen[in] = true
				cells[in]++
			}
		}
	}
	best := state.Unknown
	for s := range state.Count {
		if s.Pair() != state.Changing && (cells[s] > cells[best] || cells[s] == cells[best] && points[s] > points[best]) {
			best = s
		}
	}
	return best
}

// ofOneState returns the points measured in the usual state of the cores, or, if another state has
// more than twice as many, the points of the most frequent state: a median over near and far cores
// describes neither. Launches during which the state changed count only if there are no others.
func ofOneState(points []Point, usual state.State) []Point {
	if in := points[0].State(); !slices.ContainsFunc(points, func(p Point) bool { return p.State() != in }) {
		return points
	}
	var by [state.Count][]Point
	for _, p := range points {
		in := p.State()
		by[in] = append(by[in], p)
	}
	best := []Point(nil)
	for s, some := range by {
		if Records(some) > Records(best) && (state.State(s).Pair() != state.Changing || best == nil) {
			best = some
		}
	}
	if 2*Records(by[usual]) >= Records(best) && len(by[usual]) > 0 {
		return by[usual]
	}
	return best
}

// summarize computes the median and its bounds as tables, CSV and JSON have them (series.Value).
func (c *Cell) summarize(metric string) {
	c.metric = metric
	v := c.value(metric)
	if len(c.Points) == 1 {
		one := c.Points[0].Metrics.Get(metric)
		c.Median, c.Lo, c.Hi, c.spread = v.Median, one.Lo, one.Hi, Within
		return
	}
	var lo, hi float64
	if v.Confidence == 0 {
		medians := c.Medians(metric)
		lo, hi = medians[0], medians[len(medians)-1]
	}
	c.between(v, lo, hi)
}

// between sets the median and its interval between launches, or else their range from lo to hi.
func (c *Cell) between(v record.Value, lo, hi float64) {
	c.Median, c.Lo, c.Hi, c.spread = v.Median, v.Lo, v.Hi, Between
	switch n := len(c.Points); {
	case n < 2 || v.Confidence > 0:
	case n < stats.MinLaunches:
		c.Lo, c.Hi, c.spread = lo, hi, Few
	default:
		c.Lo, c.Hi, c.spread = lo, hi, Drifting
	}
}

// records returns the records of points, in the order of time.
func records(points []Point) []*record.Point {
	list := collect.Each(points, func(p Point) *record.Point { return p.Point })
	slices.SortStableFunc(list, func(a, b *record.Point) int { return a.Time.Compare(b.Time) })
	return list
}

// Over returns the ratio of a cell to a base, with the weaker spread of both: that of comparisons
// (stats.Shift) for launches. A single launch of a side has the ratio of the medians, with the
// interval inside of the launches.
func (c Cell) Over(base Cell) Cell {
	r := stats.Ratio(stats.Interval{Median: base.Median, Lo: base.Lo, Hi: base.Hi}, stats.Interval{Median: c.Median, Lo: c.Lo, Hi: c.Hi})
	if min(len(c.Points), len(base.Points)) > 1 {
		r, _ = stats.NewShift(stats.Stratum{A: base.Medians(base.metric), B: c.Medians(c.metric)}).Ratio(stats.Level)
	}
	c.spread = min(c.Spread(), base.Spread())
	c.Median, c.Lo, c.Hi = r.Median, r.Lo, r.Hi
	return c
}

// Middle returns the median over launches of a metric's medians, 0 if no launch has it.
func (c Cell) Middle(metric string) float64 {
	return c.value(metric).Median
}

// P99 returns the median over launches of the 99th percentile of a metric, 0 unless every launch
// has one.
func (c Cell) P99(metric string) float64 {
	return c.value(metric).P99
}

// Percentiles returns cells with the fastest event of all launches, the 50th, 90th, 99th and 99.9th
// percentile of a metric that all launches have, each summarised over launches like a median, and
// the slowest event of all launches. X is 1/(1-p): one event in X is slower. That of the fastest
// event is 1, that of the slowest one the number of events. If all launches have histograms, the
// events of all launches count together, and there are rarer percentiles.
func (c Cell) Percentiles(metric string) (cells []Cell) {
	all := c.value(metric)
	cells = []Cell{{X: 1, Median: all.Min, Points: c.Points, OneEvent: true}}
	if launches := c.histograms(metric); launches != nil {
		events := int64(0)
		for _, h := range launches {
			events += h.N()
		}
		xs := slices.DeleteFunc([]float64{2, 10, 100, 1e3, 1e4, 1e5, 1e6}, func(x float64) bool { return x >= float64(events) })
		quantiles := collect.Each(xs, func(x float64) float64 { return 1 - 1/x })
		for i, q := range stats.PooledQuantiles(launches, quantiles, c.spread == Between) {
			one := Cell{X: xs[i], Median: min(max(q.Median, all.Min), all.Max), Points: c.Points, spread: c.spread, metric: metric}
			if len(launches) > 1 {
				one.Lo, one.Hi = min(q.Lo, one.Median), max(q.Hi, one.Median)
			}
			cells = append(cells, one)
		}
		return append(cells, Cell{X: float64(events), Median: all.Max, Points: c.Points, OneEvent: true})
	}
	points := records(c.Points)
	for _, q := range []struct {
		x  float64
		of func(record.Value) float64
	}{
		{2, func(v record.Value) float64 { return v.P50 }},
		{10, func(v record.Value) float64 { return v.P90 }},
		{100, func(v record.Value) float64 { return v.P99 }},
		{1000, func(v record.Value) float64 { return v.P999 }},
	} {
		if v := series.Percentile(points, metric, q.of); v.N > 0 {
			one := Cell{X: q.x, Points: c.Points}
			one.between(v, v.Min, v.Max)
			cells = append(cells, one)
		}
	}
	last := cells[len(cells)-1].X // a log may state percentiles beyond its number of events
	return append(cells, Cell{X: max(last, float64(all.N)), Median: all.Max, Points: c.Points, OneEvent: true})
}

// HasHistograms reports whether Percentiles is of the events of all launches together.
func (c Cell) HasHistograms(metric string) bool { return len(c.histograms(metric)) > 0 }

// histograms returns the times of all events of each launch by a metric. It returns none if a
// record has no histogram of that metric, or a damaged one.
func (c Cell) histograms(metric string) (launches []*stats.Histogram) {
	for _, p := range c.Points {
		h, err := stats.ParseHistogram(p.Histogram)
		if err != nil || h.N() == 0 || p.TimeKey() != metric {
			return nil
		}
		launches = append(launches, h)
	}
	return launches
}

// Medians returns the median of a metric of each launch, sorted.
func (c Cell) Medians(metric string) []float64 {
	var medians []float64
	for _, p := range c.Points {
		if v := p.Metrics.Median(metric); p.Has(metric) && !math.IsNaN(v) {
			medians = append(medians, v)
		}
	}
	slices.Sort(medians)
	return medians
}

// natural compares names with numbers compared by value: 2 ranks, 4 ranks, 16 ranks.
func natural(a, b string) int {
	na, nb := numbers(nil, a), numbers(nil, b)
	atA, atB := 0, 0
	for i := range min(len(na), len(nb)) {
		if c := cmp.Compare(a[atA:na[i][0]], b[atB:nb[i][0]]); c != 0 {
			return c
		}
		x, _ := strconv.ParseFloat(a[na[i][0]:na[i][1]], 64)
		y, _ := strconv.ParseFloat(b[nb[i][0]:nb[i][1]], 64)
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		atA, atB = na[i][1], nb[i][1]
	}
	return cmp.Compare(a[atA:], b[atB:])
}
