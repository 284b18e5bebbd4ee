package stats

// Scale returns s with every statistic multiplied by k > 0: Scale(0.5) of a round trip is half a
// round trip, and Scale(1/b) of a batch is the time of one of b events.
func (s Summary) Scale(k float64) Summary {
	for _, v := range []*float64{&s.Mean, &s.Min, &s.P50, &s.P90, &s.P99, &s.P999, &s.Max, &s.Lo, &s.Hi} {
		*v *= k
	}
	return s
}

// Interval is a median with the bounds of its confidence interval.
type Interval struct{ Median, Lo, Hi float64 }

// Rate returns amount (bytes, messages) divided by the times of s in seconds. The upper bound of
// the time gives the lower bound of the rate. A value whose time is absent (zero) is absent, too.
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
