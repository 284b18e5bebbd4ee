package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// rows compares every side of a cell with the first.
func (c *collection) rows(r *Result, m *matched, d distances) {
	base := m.sides[0]
	for i := 1; i < len(c.sides); i++ {
		switch {
		case len(base) == 0 && len(m.sides[i]) == 0:
			continue
		case len(base) == 0:
			r.Missing = append(r.Missing, Missing{m.cell, c.sides[0], c.sides[i]})
			continue
		case len(m.sides[i]) == 0:
			r.Missing = append(r.Missing, Missing{m.cell, c.sides[i], c.sides[0]})
			continue
		}
		row := Row{Cell: m.cell, Base: c.sides[0], Side: c.sides[i]}
		var ok bool
		if row.Metric, ok = c.metric(base, m.sides[i]); !ok {
			row.Verdict, row.Why = Unclear, "the sides have no metric in common"
			r.Rows = append(r.Rows, row)
			continue
		}
		in, a, b, ok := d.choose(base, m.sides[i])
		for _, note := range []string{leftOut(row.Base, base, a, in), leftOut(row.Side, m.sides[i], b, in)} {
			if note != "" {
				row.Notes = append(row.Notes, note)
			}
		}
		if !ok {
			row.Why = "the cores were " + d.state(base[0]).String() + " in " + row.Base + " and " + d.state(m.sides[i][0]).String() + " in " + row.Side
		}
		row.measure(launchesOf(a, row.Metric.Key), launchesOf(b, row.Metric.Key), 1-c.options.Alpha)
		if c.options.Floor != nil {
			n := c.options.Floor.of(a[0], b[0])
			row.Floor = n.halves
			row.judgeSingle(n)
		}
		row.Threshold = max(c.options.Minimum, row.Floor)
		row.hidden = c.differing(a, b)
		r.Rows = append(r.Rows, row)
	}
}

// differing finds the factors that do not separate cells and are others on the
// two sides.
func (c *collection) differing(a, b []*record.Point) map[string][2]string {
	var found map[string][2]string
	for _, list := range [][]record.Factor{c.hidden, c.chosen} {
		for _, f := range list {
			if f.Text == nil {
				continue // a fact of the run
			}
			x, y := f.Text(a[0]), f.Text(b[0])
			if f.Name == "options" {
				x, y = apart(a[0], b[0], c.options.By)
			}
			if x != y {
				if found == nil {
					found = map[string][2]string{}
				}
				found[f.Name] = [2]string{x, y}
			}
		}
	}
	return found
}

// launch is what one launch says about a cell.
type launch struct {
	id     string
	median float64
	values []stats.Interval // of each point; usually one
	events int
}

func launchesOf(points []*record.Point, key string) []launch {
	var list []launch
	for _, p := range points {
		v := p.Metrics[key]
		i := slices.IndexFunc(list, func(l launch) bool { return l.id == p.Run })
		if i < 0 {
			i = len(list)
			list = append(list, launch{id: p.Run})
		}
		list[i].values = append(list[i].values, stats.Interval{Median: v.Median, Lo: v.Lo, Hi: v.Hi})
		list[i].events += v.N
	}
	for i := range list {
		medians := make([]float64, len(list[i].values))
		for j, v := range list[i].values {
			medians[j] = v.Median
		}
		list[i].median = middle(medians)
	}
	return list
}

// middle is the median. It sorts.
func middle(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return x[(n-1)/2] + (x[n/2]-x[(n-1)/2])/2
}

func medians(list []launch) []float64 {
	values := make([]float64, len(list))
	for i, l := range list {
		values[i] = l.median
	}
	return values
}

// measure fills in the numbers of a row.
func (r *Row) measure(a, b []launch, level float64) {
	r.NA, r.NB = len(a), len(b)
	if len(a) >= 2 && len(b) >= 2 {
		r.Level = Launches
		x, y := medians(a), medians(b)
		r.A, r.B = ofLaunches(x), ofLaunches(y)
		r.Ratio, r.Confidence = stats.Shift(x, y, level)
		r.P = stats.Compare(x, y).P
		return
	}
	r.Level = Events
	r.A, r.B = hull(a), hull(b)
	r.Ratio = stats.Ratio(r.A, r.B)
	if r.Ratio.Lo > 0 {
		r.Confidence = stats.Level
		r.P = normalP(r.Ratio)
	}
}

// ofLaunches is the median of launches with its interval where there are enough.
func ofLaunches(x []float64) stats.Interval {
	s := stats.Interval{Median: middle(x)} // sorts
	if lo, hi, attained := stats.MedianRanks(len(x), stats.Level); attained > 0 {
		s.Lo, s.Hi = x[lo-1], x[hi-1]
	}
	return s
}

// hull is the interval of a side of few launches: it holds those of all of them.
func hull(list []launch) stats.Interval {
	h := stats.Interval{Median: middle(medians(list))}
	for i, v := range values(list) {
		if v.Lo == 0 {
			return stats.Interval{Median: h.Median}
		}
		if i == 0 {
			h.Lo, h.Hi = v.Lo, v.Hi
		}
		h.Lo, h.Hi = min(h.Lo, v.Lo), max(h.Hi, v.Hi)
	}
	return h
}

func values(list []launch) []stats.Interval {
	var all []stats.Interval
	for _, l := range list {
		all = append(all, l.values...)
	}
	return all
}

// normalP is the p-value that goes with an interval of a ratio: logarithms of
// ratios of medians are about normal, and the interval on the side of 1 has a
// width of 1.96 standard deviations.
func normalP(r stats.Interval) float64 {
	if r.Median == 1 {
		return 1
	}
	bound := r.Lo
	if r.Median < 1 {
		bound = r.Hi
	}
	sigma := math.Abs(math.Log(r.Median/bound)) / distuv.UnitNormal.Quantile((1+stats.Level)/2)
	if sigma == 0 {
		return 0
	}
	return 2 * distuv.UnitNormal.CDF(-math.Abs(math.Log(r.Median))/sigma)
}
