package compare

import (
	"slices"

	"gobench/record"
)

// mainMetrics are the preferred metrics of a comparison. The first that all points have is used.
var mainMetrics = []string{"half_rtt_s", "global_s", "t_s", "local_s", "overlapped_s", "run_s", "rtt_s", "mops", "bandwidth_Bps"}

// metricOrder returns the metrics that may be compared, in the order of preference: mainMetrics,
// then the others in the order of the catalogue. If asked is not empty, it is the only one.
func metricOrder(asked string) []record.Metric {
	var list []record.Metric
	for _, key := range mainMetrics {
		m, _ := record.Lookup(key)
		list = append(list, m)
	}
	for _, m := range record.Metrics {
		if !slices.Contains(mainMetrics, m.Key) {
			list = append(list, m)
		}
	}
	if asked != "" {
		list = slices.DeleteFunc(list, func(m record.Metric) bool { return m.Key != asked })
	}
	return list
}

// metric returns the first metric that all points of all sides have.
func (c *collection) metric(sides ...[]*record.Point) (record.Metric, bool) {
	for _, m := range c.metrics {
		all := true
		for _, points := range sides {
			for _, p := range points {
				all = all && p.Metrics.Median(m.Key) > 0
			}
		}
		if all {
			return m, true
		}
	}
	return record.Metric{}, false
}

// common returns the first metric that some points of each side have, and these points: of an
// operation that overlaps, only the longest state of the cores has what other programs print.
func (c *collection) common(base, side []*record.Point) (m record.Metric, a, b []*record.Point, found bool) {
	for _, m := range c.metrics {
		lacks := func(p *record.Point) bool { return p.Metrics.Median(m.Key) <= 0 }
		a, b = slices.DeleteFunc(slices.Clone(base), lacks), slices.DeleteFunc(slices.Clone(side), lacks)
		if len(a) > 0 && len(b) > 0 {
			return m, a, b, true
		}
	}
	return m, base, side, false
}
