package cell

import (
	"gobench/bench/record"
)

// times are the metrics that are the time of one operation, in the order in
// which a point's time is looked for.
var times = []string{"half_rtt_s", "rtt_s", "t_s", "global_s", "local_s", "run_s"}

// rates are what a point moves or does in a second, likewise.
var rates = []string{"mops", "bandwidth_Bps", "aggregate_Bps", "busbw_Bps", "message_rate_per_s"}

// Time names the metric that is a point's time; empty where it has none.
func Time(p Point) string { return first(p, times) }

// Rate names the metric that is a point's rate; empty where it has none.
func Rate(p Point) string { return first(p, rates) }

// Main names the metric by which a point is judged: the rate of a kernel, the
// time of everything else, or whatever there is.
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
