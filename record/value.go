package record

import "gobench/stats"

// Times returns the value of a summary of times in seconds. It leaves out the percentiles if events
// were timed in batches, because percentiles of batches are not those of events.
func Times(s stats.Summary, batched bool) Value {
	v := Value{
		Median: s.P50, Mean: s.Mean, Lo: s.Lo, Hi: s.Hi, Confidence: s.Confidence,
		N: s.N, EffectiveN: s.EffectiveN,
	}
	if !batched {
		v.Min, v.P50, v.P90, v.P99, v.P999, v.Max = s.Min, s.P50, s.P90, s.P99, s.P999, s.Max
	}
	return v
}

// Rate returns the value of a rate: amount (bytes, messages) divided by the times of s. The lower
// bound of the time gives the upper bound of the rate.
func Rate(s stats.Summary, amount float64) Value {
	r := s.Rate(amount)
	return Value{
		Median: r.Median, Lo: r.Lo, Hi: r.Hi, Confidence: s.Confidence,
		N: s.N, EffectiveN: s.EffectiveN,
	}
}
