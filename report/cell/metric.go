package cell

import (
	"gobench/bench/record"
)

// rates lists the metrics that are rates, in the order in which Rate looks for them.
var rates = []string{"mops", "bandwidth_Bps", "aggregate_Bps", "busbw_Bps", "message_rate_per_s"}

// Rate returns the key of the metric that is the point's rate, empty if it has none.
func Rate(p Point) string {
	for _, key := range rates {
		if _, ok := p.Metrics[key]; ok {
			return key
		}
	}
	return ""
}

// Main returns the key of the point's primary metric: the rate of a kernel, the time of everything
// else, or any metric if it has neither.
func Main(p Point) string {
	if _, ok := p.Metrics["mops"]; ok {
		return "mops"
	}
	if key := record.TimeKey(p.Metrics); key != "" {
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
