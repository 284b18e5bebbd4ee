package record

import (
	"fmt"
	"math"
)

// slack allows for the rounding of a few operations on float64.
const slack = 1e-9

// check returns the rule that v breaks, or "". bare values (of batches, and rates) have no
// percentiles. A share may be zero.
func (v Value) check(bare, share bool) string {
	all := []struct {
		name  string
		value float64
	}{
		{"min", v.Min}, {"lo", v.Lo}, {"median", v.Median}, {"hi", v.Hi}, {"p50", v.P50},
		{"p90", v.P90}, {"p99", v.P99}, {"p99_lo", v.P99Lo}, {"p99_hi", v.P99Hi}, {"p999", v.P999}, {"max", v.Max}, {"confidence", v.Confidence}, {"within", v.Within}, {"mean", v.Mean},
	}
	for _, x := range all {
		if math.IsNaN(x.value) || math.IsInf(x.value, 0) || x.value < 0 {
			return fmt.Sprintf("%s is %v, must be a finite number of at least 0", x.name, x.value)
		}
	}
	switch {
	case share && v.Median > 1:
		return fmt.Sprintf("median is %v, a share is at most 1", v.Median)
	case v.Median == 0 && !share:
		return "median is zero; a metric that was not measured must be absent"
	case v.N < 1:
		return fmt.Sprintf("n is %d, must be at least 1", v.N)
	case v.N > maxNumber:
		return fmt.Sprintf("n is %d, must be at most %d", v.N, maxNumber)
	case v.EffectiveN < 0 || v.EffectiveN > v.N:
		return fmt.Sprintf("n_eff is %d, must be absent or between 1 and n = %d", v.EffectiveN, v.N)
	case v.Confidence >= 1:
		return fmt.Sprintf("confidence is %v, must be below 1", v.Confidence)
	case (v.Lo == 0) != (v.Hi == 0):
		return "lo and hi must be given together"
	case (v.P99Lo == 0) != (v.P99Hi == 0) || v.P99Lo != 0 && v.P99 == 0:
		return "p99_lo and p99_hi must be given together, with p99"
	case v.Statistic != "" && v.Statistic != Mean && v.Statistic != RankMean && v.Statistic != Best:
		return fmt.Sprintf("statistic is %q, must be absent, %q, %q or %q", v.Statistic, Mean, RankMean, Best)
	case v.Statistic != "" && (v.Lo != 0 || v.P50 != 0):
		return "only a median has an interval or percentiles"
	case bare && (v.P50 != 0 || v.P90 != 0 || v.P99 != 0 || v.P999 != 0):
		return "batches and rates have no percentiles"
	}
	if v.Lo != 0 {
		if rule := ascending([]string{"lo", "median", "hi"}, v.Lo, v.Median, v.Hi); rule != "" {
			return rule
		}
	}
	if v.Mean > 0 && (v.Min > v.Mean*(1+slack) || v.Max > 0 && v.Mean > v.Max*(1+slack)) {
		return fmt.Sprintf("mean is %v, not between min = %v and max = %v", v.Mean, v.Min, v.Max)
	}
	if rule := ascending([]string{"p99_lo", "p99", "p99_hi"}, v.P99Lo, v.P99, v.P99Hi); rule != "" {
		return rule
	}
	names := []string{"min", "p50", "p90", "p99", "p999", "max"}
	return ascending(names, v.Min, v.P50, v.P90, v.P99, v.P999, v.Max)
}

// ascending returns the broken rule if the values that are present (not 0) do not ascend, else "".
func ascending(names []string, values ...float64) string {
	last := -1
	for i, x := range values {
		if x == 0 {
			continue
		}
		if last >= 0 && values[last] > x*(1+slack) {
			return fmt.Sprintf("%s <= %s does not hold: %v > %v", names[last], names[i], values[last], x)
		}
		last = i
	}
	return ""
}

// checkBandwidth checks that bandwidth x time = bytes, for the median and crosswise for the bounds.
// The bytes are Amount if it is given, else a multiple of the size of a message.
func (p *Point) checkBandwidth() (field, rule string) {
	b, ok := p.Metrics.Lookup("bandwidth_Bps")
	if !ok {
		return "", ""
	}
	for _, key := range []string{"half_rtt_s", "t_s", "global_s", "local_s"} {
		t, ok := p.Metrics.Lookup(key)
		if !ok {
			continue
		}
		amount := float64(p.Amount)
		if p.Amount == 0 {
			if p.Size == 0 {
				return "bandwidth_Bps", "messages of no bytes have no bandwidth"
			}
			amount = math.Max(1, math.Round(b.Median*t.Median/float64(p.Size))) * float64(p.Size)
		}
		for _, pair := range []struct {
			name string
			rate float64
			time float64
		}{{"median", b.Median, t.Median}, {"lo", b.Lo, t.Hi}, {"hi", b.Hi, t.Lo}} {
			if pair.rate == 0 || pair.time == 0 {
				continue
			}
			if got := pair.rate * pair.time; math.Abs(got-amount) > slack*amount {
				return "bandwidth_Bps", fmt.Sprintf("%s x %s is %v bytes, not %v", pair.name, key, got, amount)
			}
		}
		return "", ""
	}
	return "", ""
}
