package cell

import (
	"gobench/bench/record"
)

// times lists the metrics that are the time of one operation, in the order in which Time looks for
// them.
var times = []string{"half_rtt_s", "rtt_s", "t_s", "global_s", "local_s", "run_s"}

// rates lists the metrics that are rates, in the order in which Rate looks for them.
var rates = []string{"mops", "bandwidth_Bps", "aggregate_Bps", "busbw_Bps", "message_rate_per_s"}

// Time returns the key of the metric that is the point's time, empty if it has none.
func Time(p Point) string { return first(p, times) }

// Rate returns the key of the metric that is the point's rate, empty if it has none.
func Rate(p Point) string { return first(p, rates) }

// Main returns the key of the point's primary metric: the rate of a kernel, the time of everything
// else, or any metric if it has neither.
func Main(p Point) string {
	if _, ok := p.Metrics["mops"]; ok {
		return "mops"
	}
	if key := Time(p); key != "" {
		return key
	}
	if key := Rate(p); key != "" {
		return key
	}
	for _, m := range record.Metrics {
		if _, ok := p.Metrics[m.Key]; ok {
			return m.Key
		}
	}
	return ""
}

func first(p Point, keys []string) string {
	for _, key := range keys {
		if _, ok := p.Metrics[key]; ok {
			return key
		}
	}
	return ""
}
