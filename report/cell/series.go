package cell

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gobench/bench/state"
	"gobench/bench/stats"
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

	spread Spread
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
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		_, ok := p.Metrics[metric]
		return !ok
	})
}

// Count returns the number of series that Split returns if all points have the metric.
func Count(points []Point, x func(Point) float64, along ...Factor) int {
	return classes(representatives(points), DistinguishingFactors(points, x, along...))
}

// SplitBy is Split with given factors. Panels that share factors give a name the same meaning.
func SplitBy(points []Point, metric string, x func(Point) float64, by []Factor) []Series {
	groups := map[string][]Point{}
	labels := map[*group]string{}
	var names []string
	for _, p := range having(points, metric) {
		name, ok := labels[p.group]
		if !ok {
			name = label(p, by)
			labels[p.group] = name
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], p)
	}
	slices.SortFunc(names, natural)
	all := make([]Series, 0, len(names))
	for _, name := range names {
		all = append(all, Series{Name: name, Cells: cells(groups[name], metric, x)})
	}
	return all
}

// label returns the levels of factors. Default levels are omitted unless all are defaults.
func label(p Point, by []Factor) string {
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

func cells(points []Point, metric string, x func(Point) float64) []Cell {
	at := map[float64]int{}
	var all []Cell
	for _, p := range points {
		v := x(p)
		i, ok := at[v]
		if !ok {
			i = len(all)
			at[v] = i
			all = append(all, Cell{X: v})
		}
		all[i].Points = append(all[i].Points, p)
	}
	slices.SortFunc(all, func(a, b Cell) int { return cmp.Compare(a.X, b.X) })
	usual := usualState(all)
	for i := range all {
		all[i].Points = ofOneState(all[i].Points, usual)
		all[i].summarize(metric)
	}
	return all
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
			points[in]++
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
	var by [state.Count][]Point
	for _, p := range points {
		in := p.State()
		by[in] = append(by[in], p)
	}
	best := []Point(nil)
	for s, some := range by {
		if len(some) > len(best) && (state.State(s).Pair() != state.Changing || best == nil) {
			best = some
		}
	}
	if 2*len(by[usual]) >= len(best) && len(by[usual]) > 0 {
		return by[usual]
	}
	return best
}

// summarize computes the median and its bounds. The unit of replication is the launch (Kalibera and
// Jones, ISMM 2013): iterations of one launch do not predict the next launch.
func (c *Cell) summarize(metric string) {
	if len(c.Points) == 1 {
		v := c.Points[0].Metrics[metric]
		c.Median, c.Lo, c.Hi, c.spread = v.Median, v.Lo, v.Hi, Within
		return
	}
	medians := c.Medians(metric)
	c.Median = c.Middle(metric)
	c.Lo, c.Hi, c.spread = medians[0], medians[len(medians)-1], Few
	launches := stats.Launches
	if slices.ContainsFunc(c.Points, func(p Point) bool { return p.Time.IsZero() }) {
		launches = stats.Unordered
	}
	switch s := launches(c.inOrder(metric)); {
	case s.Confidence > 0:
		c.Lo, c.Hi, c.spread = s.Lo, s.Hi, Between
	case s.N >= stats.LeastLaunches:
		c.spread = Drifting
	}
}

// Over returns the ratio of a cell to a base, with the weaker spread of both.
func (c Cell) Over(base Cell) Cell {
	r := stats.Ratio(stats.Interval{Median: base.Median, Lo: base.Lo, Hi: base.Hi}, stats.Interval{Median: c.Median, Lo: c.Lo, Hi: c.Hi})
	c.spread = min(c.Spread(), base.Spread())
	c.Median, c.Lo, c.Hi = r.Median, r.Lo, r.Hi
	return c
}

// inOrder returns the median of a metric of each launch, in the order of measurement.
func (c Cell) inOrder(metric string) []float64 {
	points := slices.Clone(c.Points)
	slices.SortStableFunc(points, func(a, b Point) int { return a.Time.Compare(b.Time) })
	var medians []float64
	for _, p := range points {
		if v, ok := p.Metrics[metric]; ok && !math.IsNaN(v.Median) {
			medians = append(medians, v.Median)
		}
	}
	return medians
}

// Middle returns the median over launches of a metric's medians, 0 if no launch has it.
func (c Cell) Middle(metric string) float64 {
	m := c.Medians(metric)
	if len(m) == 0 {
		return 0
	}
	return stats.Quantile(m, 0.5)
}

// P99 returns the median over launches of the 99th percentile of a metric, 0 unless every launch
// has one.
func (c Cell) P99(metric string) float64 {
	var list []float64
	for _, p := range c.Points {
		if q := p.Metrics[metric].P99; q > 0 {
			list = append(list, q)
		}
	}
	if len(list) < len(c.Points) || len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return stats.Quantile(list, 0.5)
}

// Medians returns the median of a metric of each launch, sorted.
func (c Cell) Medians(metric string) []float64 {
	var medians []float64
	for _, p := range c.Points {
		if v, ok := p.Metrics[metric]; ok && !math.IsNaN(v.Median) {
			medians = append(medians, v.Median)
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
