package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// rows adds a row to r for each side of a cell that the base has too.
func (c *collection) rows(r *Result, m *matched) {
	base := m.sides[0]
	for i := 1; i < len(c.sides); i++ {
		side := m.sides[i]
		switch {
		case len(base) == 0 && len(side) == 0:
			continue
		case len(base) == 0:
			r.Missing = append(r.Missing, Missing{m.cell, c.sides[0], c.sides[i]})
			continue
		case len(side) == 0:
			r.Missing = append(r.Missing, Missing{m.cell, c.sides[i], c.sides[0]})
			continue
		}
		row := Row{Cell: m.cell, Base: c.sides[0], Side: c.sides[i], sample: base[0], other: side[0], Threshold: c.options.Minimum}
		var ok bool
		if row.Metric, ok = c.metric(base, side); !ok {
			row.Why = "the sides have no metric in common"
			r.Rows = append(r.Rows, row)
			continue
		}
		in, a, b, ok := c.scales.choose(base, side)
		var times map[*record.Point]float64 // factors of points of other states, see aligned
		if key := row.Metric.Key; ok {
			a, b, times = c.scales.aligned(in, base, side, func(p *record.Point) float64 { return p.Metrics[key].Median })
			if len(times) > 0 {
				row.Notes = append(row.Notes, fmt.Sprintf("%s in other states of the cores included, scaled to the state %v",
					count(len(times), "result", "results"), in))
			}
		}
		for _, note := range []string{leftOut(row.Base, base, a, in), leftOut(row.Side, side, b, in)} {
			if note != "" {
				row.Notes = append(row.Notes, note)
			}
		}
		if !ok {
			row.Why, row.apart = c.scales.apart(&row, base, side), true
		}
		if !c.comparesMachines() {
			row.unlike = unlike(c.machineOf(a), c.machineOf(b))
		}
		if c.options.Floor != nil && r.foreign == "" {
			r.foreign = c.checkFloor(a, b)
		}
		mean := func(p *record.Point) bool { return isMean(p, row.Metric.Key) }
		row.MeanA, row.MeanB = slices.ContainsFunc(a, mean), slices.ContainsFunc(b, mean)
		key := row.Metric.Key
		aligned := func(value func(*record.Point) float64) func(*record.Point) float64 {
			return func(p *record.Point) float64 {
				if by, ok := times[p]; ok {
					return by * value(p)
				}
				return value(p)
			}
		}
		median := aligned(func(p *record.Point) float64 { return p.Metrics[key].Median })
		row.a, row.b = launchesBy(a, median), launchesBy(b, median)
		switch { // means are compared with means
		case row.MeanA && !row.MeanB && haveMeans(b, key):
			row.b, row.MeanB = launchesBy(b, aligned(meanOf(key))), true
		case row.MeanB && !row.MeanA && haveMeans(a, key):
			row.a, row.MeanA = launchesBy(a, aligned(meanOf(key))), true
		}
		row.hidden = c.differing(a, b)
		r.Rows = append(r.Rows, row)
	}
}

// comparesMachines reports whether the compared factor is a fact of machines.
func (c *collection) comparesMachines() bool { return strings.HasPrefix(c.options.By, "host.") }

// differing returns the two values of each factor that does not separate cells and differs between
// the sides.
func (c *collection) differing(a, b []*record.Point) map[string][2]string {
	var found map[string][2]string
	for _, list := range [][]record.Factor{c.hidden, c.chosen} {
		for _, f := range list {
			if f.Text == nil || f.Unlogged && (a[0].Library != "" || b[0].Library != "") {
				continue // a fact of the run, or not known
			}
			if f.Name == "batched" && roundTrip(a[0]) {
				continue
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

// measure computes the numbers of all rows.
func (r *Result) measure() {
	var series [][]launch
	for i := range r.Rows {
		row := &r.Rows[i]
		row.NA, row.NB, row.Level = len(row.a), len(row.b), Launches
		if min(row.NA, row.NB) < 2 {
			row.Level = Single
		}
		if !alternate(row.a, row.b) {
			series = append(series, row.a, row.b)
		}
	}
	r.Correlation = correlation(series)
	floor := r.Options.Floor
	if r.foreign != "" {
		floor = nil
	}
	after := map[string][]*Row{} // rows of a side that was measured after or before the base
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Level == Launches && !alternate(row.a, row.b) {
			after[row.Side] = append(after[row.Side], row)
		}
	}
	seen := map[string]float64{}
	for side, rows := range after {
		seen[side] = scatterOf(rows)
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.NA == 0 || row.NB == 0 {
			continue // no metric in common
		}
		row.Widening = 1
		if row.Level == Launches && !alternate(row.a, row.b) {
			row.Widening = widening(row.NA, row.NB, r.Correlation, floor, row.span(), seen[row.Side])
		}
		row.measure(1 - r.Options.Alpha)
	}
}

// span returns the time from the first launch to the last of both sides.
func (r *Row) span() time.Duration {
	first, last := r.a[0].time, r.a[len(r.a)-1].time
	if t := r.b[0].time; t.Before(first) {
		first = t
	}
	if t := r.b[len(r.b)-1].time; t.After(last) {
		last = t
	}
	return last.Sub(first)
}

// measure computes the numbers of a row.
func (r *Row) measure(level float64) {
	x, y := medians(r.a), medians(r.b)
	r.A, r.B = ofLaunches(x), ofLaunches(y)
	if r.Level == Single {
		r.Ratio = stats.Interval{Median: r.B.Median / r.A.Median}
		return
	}
	r.Ratio, r.Confidence = r.interval(level)
	// The p-value belongs to the widened interval (see the package comment).
	shrink := math.Pow(r.Ratio.Median, 1/r.Widening-1)
	for i := range y {
		y[i] *= shrink
	}
	r.P = stats.Compare(x, y).P
}

// interval returns the widened interval of the ratio.
func (r *Row) interval(level float64) (ratio stats.Interval, attained float64) {
	ratio, attained = stats.Shift(medians(r.a), medians(r.b), level)
	ratio.Lo = ratio.Median * math.Pow(ratio.Lo/ratio.Median, r.Widening)
	ratio.Hi = ratio.Median * math.Pow(ratio.Hi/ratio.Median, r.Widening)
	return ratio, attained
}

// ofLaunches returns the median of launches, with its interval if there are enough.
func ofLaunches(x []float64) stats.Interval {
	x = slices.Clone(x)
	s := stats.Interval{Median: middle(x)}
	if lo, hi, attained := stats.MedianRanks(len(x), stats.Level); attained > 0 {
		s.Lo, s.Hi = x[lo-1], x[hi-1]
	}
	return s
}
