package stats

// Scale returns s with every statistic multiplied by k > 0: half a round trip is
// Scale(0.5) of a round trip, the time of one of b batched events Scale(1/b).
func (s Summary) Scale(k float64) Summary {
	for _, v := range []*float64{&s.Mean, &s.Min, &s.P50, &s.P90, &s.P99, &s.P999, &s.Max, &s.Lo, &s.Hi} {
		*v *= k
	}
	return s
}

// Interval is a median with the bounds of its confidence interval.
type Interval struct{ Median, Lo, Hi float64 }

// Rate turns a summary of times in seconds into the rate at which amount
// (bytes, messages) passes. The bounds change places: the longest time gives the lowest
// rate. A value of which the time is absent (zero) is absent, too.
func (s Summary) Rate(amount float64) Interval {
	var r Interval
	if s.P50 > 0 {
		r.Median = amount / s.P50
	}
	if s.Confidence > 0 && s.Lo > 0 {
		r.Lo, r.Hi = amount/s.Hi, amount/s.Lo
	}
	return r
}
