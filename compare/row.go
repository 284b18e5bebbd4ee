package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

// rows adds a row to r for a cell that both sides have.
func (c *collection) rows(r *Result, m *matched) {
	base, side := m.points[0], m.points[1]
	baseName, sideName := c.sides[0], c.sides[m.side]
	switch {
	case len(base) == 0:
		r.Missing = append(r.Missing, Missing{m.cell, baseName, sideName})
		return
	case len(side) == 0:
		r.Missing = append(r.Missing, Missing{m.cell, sideName, baseName})
		return
	}
	row := Row{Cell: m.cell, Base: baseName, Side: sideName, sample: base[0], other: side[0], Threshold: c.options.Minimum}
	all := len(base) + len(side)
	if row.Metric, base, side = c.metric(base, side); base == nil {
		row.Why = "the sides have no metric in common"
		r.Rows = append(r.Rows, row)
		return
	}
	if n := all - len(base) - len(side); n > 0 {
		row.Remarks = append(row.Remarks, fmt.Sprintf("%s without %s left out", human.Count(n, "result", "results"), row.Metric.Name))
	}
	base, side, in := c.comparable(&row, base, side)
	strata := in.strata(base, side)
	if strata == nil {
		row.Why, row.Apart = in.apart(&row, base, side), true
		strata = []stratum{{a: base, b: side}}
	}
	var a, b []*record.Point
	for i := range strata {
		a, b = append(a, strata[i].a...), append(b, strata[i].b...)
	}
	for _, p := range slices.Concat(base, side) {
		row.Duration += p.Duration
	}
	if !strings.HasPrefix(c.options.By, "host.") {
		row.unlike = unlike(c.machineOf(a), c.machineOf(b))
	}
	if c.options.Floor != nil && r.foreign == "" {
		r.foreign = c.checkFloor(a, b)
	}
	row.MeanA, row.MeanB = slices.ContainsFunc(a, isMean(row.Metric.Key)), slices.ContainsFunc(b, isMean(row.Metric.Key))
	row.a, row.b = launchesIn(strata, sideA, medianOf(row.Metric.Key)), launchesIn(strata, sideB, medianOf(row.Metric.Key))
	switch { // means are compared with means
	case row.MeanA && !row.MeanB && haveMeans(b, row.Metric.Key):
		row.b, row.MeanB = launchesIn(strata, sideB, meanOf(row.Metric.Key)), true
	case row.MeanB && !row.MeanA && haveMeans(a, row.Metric.Key):
		row.a, row.MeanA = launchesIn(strata, sideA, meanOf(row.Metric.Key)), true
	}
	row.a, row.b = paired(row.a, row.b)
	if !row.Apart {
		row.remark(strata[0].in, base, side)
	}
	row.hidden = c.differing(a, b)
	r.Rows = append(r.Rows, row)
}

// differing returns the two values of each factor that does not separate cells and differs between
// the sides.
func (c *collection) differing(a, b []*record.Point) map[string][2]string {
	var found map[string][2]string
	for _, list := range [][]record.Factor{c.hidden, c.chosen} {
		for _, f := range list {
			if f.Text == nil {
				continue // a fact of the run
			}
			x, y := c.text(f, a[0]), c.text(f, b[0])
			if f.Unlogged && (a[0].Library != "" || b[0].Library != "") && (x == "" || y == "" || a[0].Library == "" || b[0].Library == "") {
				continue // not known, or in words of another program
			}
			if f.Name == optionsName {
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
		if !alternate(row.a, row.b) && !undated(row.a) && !undated(row.b) {
			series = append(series, level(row.a, row.b), level(row.b, row.a))
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
	if undated(r.a) || undated(r.b) {
		return math.MaxInt64 // not known
	}
	a, b := r.a[len(r.a)-1].time, r.b[len(r.b)-1].time
	return max(a.Sub(r.a[0].time), a.Sub(r.b[0].time), b.Sub(r.a[0].time), b.Sub(r.b[0].time))
}

// remark adds notes about launches in other states of the cores than in.
func (r *Row) remark(in state.State, base, side []*record.Point) {
	others := len(collect.If(slices.Concat(r.a, r.b), func(l launch) bool { return l.stratum > 0 }))
	if others > 0 {
		r.Remarks = append(r.Remarks, fmt.Sprintf("the values are those of the state %v; the ratio includes %s in other states, each compared with launches in its own",
			in, human.Count(others, "launch", "launches")))
	}
	for _, remark := range []string{leftOut(r.Base, base, len(r.a), in), leftOut(r.Side, side, len(r.b), in)} {
		if remark != "" {
			r.Remarks = append(r.Remarks, remark)
		}
	}
}

// measure computes the numbers of a row.
func (r *Row) measure(level float64) {
	r.level = level
	r.A, r.B = ofLaunches(r.a, r.Metric.Key, r.MeanA), ofLaunches(r.b, r.Metric.Key, r.MeanB)
	if r.Level == Single {
		r.Ratio = stats.Interval{Median: r.B.Median / r.A.Median}
		return
	}
	r.Ratio, r.Confidence = r.interval(level)
	// It belongs to the widened interval (see the package comment).
	r.P = r.shift.P(math.Pow(r.Ratio.Median, 1-1/r.Widening))
}

// interval returns the widened interval of the ratio.
func (r *Row) interval(level float64) (ratio stats.Interval, attained float64) {
	if r.shift == nil {
		r.shift = shiftOf(r.a, r.b)
	}
	ratio, attained = r.shift.Ratio(level)
	if r.Widening != 1 { // else every bound is exactly one of the ratios
		ratio.Lo = ratio.Median * math.Pow(ratio.Lo/ratio.Median, r.Widening)
		ratio.Hi = ratio.Median * math.Pow(ratio.Hi/ratio.Median, r.Widening)
	}
	return ratio, attained
}

// MinP returns the smallest p-value that so few launches can have, 1 for one launch of a side.
func (r *Row) MinP() float64 {
	if r.shift == nil {
		return 1
	}
	return r.shift.MinP()
}

// ofLaunches returns the median of the launches in the first stratum with its interval: what a
// table of the results has for a metric. If the launches have means besides their medians and means
// are compared, it refers to the means.
func ofLaunches(list []launch, key string, means bool) stats.Interval {
	first := byStratum(list)
	if len(first) == 0 {
		return stats.Interval{}
	}
	values, points := medians(first[0]), collect.Each(first[0], func(l launch) *record.Point { return l.point })
	if means && !slices.ContainsFunc(points, isMean(key)) {
		if undated(first[0]) {
			return stats.Unordered(values).Interval()
		}
		return stats.Launches(values).Interval()
	}
	v, _ := series.Value(points, key)
	return stats.Interval{Median: v.Median, Lo: v.Lo, Hi: v.Hi}
}
