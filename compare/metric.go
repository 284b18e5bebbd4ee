package compare

import (
	"slices"

	"gobench/internal/collect"
	"gobench/record"
)

// mainMetrics are the preferred metrics of a comparison, in this order.
var mainMetrics = []string{"half_rtt_s", "global_s", "t_s", "local_s", "pure_s", "overlapped_s", "run_s", "rtt_s", "mops", "bandwidth_Bps"}

// metricOrder returns the metrics that may be compared, in the order of preference: mainMetrics,
// then the others in the order of the catalogue. If asked is not empty, it is the only one.
func metricOrder(asked string) []record.Metric {
	list := collect.Each(mainMetrics, func(key string) record.Metric { m, _ := record.Lookup(key); return m })
	list = append(list, collect.If(record.Metrics, func(m record.Metric) bool { return !slices.Contains(mainMetrics, m.Key) })...)
	if asked != "" {
		list = slices.DeleteFunc(list, func(m record.Metric) bool { return m.Key != asked })
	}
	return list
}

// metric returns the first metric that all points of both sides have, else the one that most
// points of each side have, as of a cell whose overlap was measured in one state of the cores only,
// and the points with it.
func (c *collection) metric(base, side []*record.Point) (found record.Metric, a, b []*record.Point) {
	for _, m := range c.metrics {
		x, y := having(m.Key, base), having(m.Key, side)
		switch {
		case len(x) == len(base) && len(y) == len(side):
			return m, x, y
		case min(len(x), len(y)) > min(len(a), len(b)):
			found, a, b = m, x, y
		}
	}
	return found, a, b
}

// having returns the points with a metric.
func having(key string, points []*record.Point) []*record.Point {
	lacks := func(p *record.Point) bool { return !(p.Metrics.Median(key) > 0) }
	if !slices.ContainsFunc(points, lacks) {
		return points
	}
	return slices.DeleteFunc(slices.Clone(points), lacks)
}
