package cell

import (
	"slices"

	"gobench/record"
)

// rates lists the metrics that are rates, in the order in which Rate looks for them.
var rates = []string{"mops", "bandwidth_Bps", "aggregate_Bps", "busbw_Bps", "message_rate_per_s"}

// Timed is a group of points whose time is one metric.
type Timed struct {
	Key    string // of the metric, "" = the points have no time
	Points []Point
}

// ByTime groups points by the metric that is their time. If all points with a time have one in
// common, there is one group, which also has the points without a time.
func ByTime(points []Point) []Timed {
	var all []Timed
	common, timed := record.AllTimes, false
	for _, p := range points {
		times := p.Metrics.Times()
		key := times.Key()
		if key != "" {
			common &= times
			timed = true
		}
		i := slices.IndexFunc(all, func(t Timed) bool { return t.Key == key })
		if i < 0 {
			i = len(all)
			all = append(all, Timed{Key: key})
		}
		all[i].Points = append(all[i].Points, p)
	}
	if timed && common != 0 {
		return []Timed{{common.Key(), points}}
	}
	return all
}

// Rate returns the key of the metric that is the point's rate, empty if it lacks one.
func Rate(p Point) string {
	for _, key := range rates {
		if p.Has(key) {
			return key
		}
	}
	return ""
}

// Main returns the key of the point's primary metric: the rate of a kernel, the time of everything
// else, or any metric if it has neither.
func Main(p Point) string {
	if p.Has("mops") {
		return "mops"
	}
	if key := p.TimeKey(); key != "" {
		return key
	}
	if key := Rate(p); key != "" {
		return key
	}
	for _, m := range record.Metrics {
		if p.Has(m.Key) {
			return m.Key
		}
	}
	return ""
}
