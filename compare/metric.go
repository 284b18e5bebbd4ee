package compare

import (
	"slices"

	"gobench/internal/collect"
	"gobench/record"
)

// mainMetrics are the preferred metrics of a comparison. The first that all points have is used.
var mainMetrics = []string{"half_rtt_s", "global_s", "t_s", "local_s", "overlapped_s", "run_s", "rtt_s", "mops", "bandwidth_Bps"}

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
