package compare

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/record"
)

// silent reports whether a point lacks a factor by which cells are separated.
func (c *collection) silent(p *record.Point, split []record.Factor) bool {
	return p.Library != "" && slices.ContainsFunc(split, func(f record.Factor) bool { return c.text(f, p) == "" })
}

// isMean returns a function that reports whether the Median of a metric is a mean. Logs imported by
// an old version do not state the statistic: it is a mean if it is a single value.
func isMean(key string) func(*record.Point) bool {
	return func(p *record.Point) bool {
		v := p.Metrics.Get(key)
		return v.Statistic == record.Mean || v.Statistic == record.RankMean || v.Statistic == "" && p.Library != "" && v.N == 1
	}
}

// comparable returns the points of both sides with values of one meaning, and their states. Where
// some points have the mean over ranks and others the slowest rank, the means over ranks of all are
// compared; if a point lacks it, the row gets no verdict.
func (c *collection) comparable(r *Row, a, b []*record.Point) (alikeA, alikeB []*record.Point, in states) {
	overRanks := func(p *record.Point) bool { return p.Metrics.Get(r.Metric.Key).Statistic == record.RankMean }
	average, _ := record.Lookup("average_s")
	all := slices.Concat(a, b)
	means := collect.If(all, overRanks)
	switch others := collect.If(all, func(p *record.Point) bool { return !overRanks(p) }); {
	case len(means) == 0 || len(others) == 0:
		return a, b, c.states
	case r.Metric.Key != "local_s" || len(having(average.Key, others)) < len(others):
		r.Why = r.Metric.Name + " is a mean over ranks on one side only"
		if slices.ContainsFunc(a, overRanks) && slices.ContainsFunc(b, overRanks) {
			r.Why = r.Metric.Name + " is a mean over ranks in some launches only"
		}
		return a, b, c.states
	}
	in = states{} // those of the collection are of all cells, whose rows are made concurrently
	averaged := func(p *record.Point) *record.Point {
		alike := p
		if overRanks(p) {
			one := *p
			one.Metrics.Set(average.Key, p.Metrics.Get(r.Metric.Key))
			alike = &one
		}
		in[alike] = c.states[p]
		return alike
	}
	alikeA, alikeB = collect.Each(a, averaged), collect.Each(b, averaged)
	r.Metric = average
	return alikeA, alikeB, in
}

// haveMeans reports whether points have the mean besides the median.
func haveMeans(points []*record.Point, key string) bool {
	return !slices.ContainsFunc(points, func(p *record.Point) bool { return p.Metrics.Get(key).Mean == 0 })
}

// medianOf returns a function that returns the median of a metric.
func medianOf(key string) func(*record.Point) float64 {
	return func(p *record.Point) float64 { return p.Metrics.Median(key) }
}

// meanOf returns a function that returns the mean of a metric.
func meanOf(key string) func(*record.Point) float64 {
	return func(p *record.Point) float64 { return p.Metrics.Get(key).Mean }
}

// logs returns warnings about imported results.
func (c *collection) logs(r *Result) (list []string) {
	var libraries, silent []string
	means := false
	for _, row := range r.Rows {
		a, b := row.sample, row.other
		if (a.Library == "") == (b.Library == "") {
			continue
		}
		means = means || row.MeanA != row.MeanB
		if a.Library == "" {
			a, b = b, a
		}
		libraries = collect.Union(libraries, a.Library)
		for _, f := range slices.Concat(c.asked, c.chosen) {
			if (f.Unlogged || f.Omitted) && c.text(f, a) == "" && c.text(f, b) != "" && !slices.Contains(silent, f.Name) {
				silent = append(silent, f.Name)
			}
		}
	}
	if len(silent) > 0 {
		list = append(list, fmt.Sprintf("the logs of %s do not contain %s: their results are compared with any value", strings.Join(libraries, ", "), strings.Join(silent, ", ")))
	}
	if means {
		list = append(list, fmt.Sprintf("the values of %s are means, those of %s medians", strings.Join(libraries, ", "), own))
	}
	return list
}
