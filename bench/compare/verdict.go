package compare

import (
	"fmt"
	"math"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// slowness is the ratio as seen by time: above 1 the side is worse than the base.
func (r *Row) slowness() stats.Interval {
	if r.Metric.Direction == record.Lower || r.Ratio.Median == 0 {
		return r.Ratio
	}
	inverse := stats.Interval{Median: 1 / r.Ratio.Median}
	if r.Ratio.Lo > 0 {
		inverse.Lo, inverse.Hi = 1/r.Ratio.Hi, 1/r.Ratio.Lo
	}
	return inverse
}

// decide gives a row its verdict. A difference is shown where it is significant and beyond
// the threshold; it is excluded where the whole interval lies within the
// threshold; all else cannot be told.
func (r *Row) decide(alpha float64, gate bool) {
	r.Verdict = Unclear
	if r.Why != "" {
		return
	}
	if r.Why = r.unfit(gate); r.Why != "" {
		return
	}
	s, limit := r.slowness(), 1+r.Threshold
	sure := r.Adjusted < alpha
	switch {
	case sure && s.Median > limit:
		r.Verdict = Slower
	case sure && s.Median < 1/limit:
		r.Verdict = Faster
	case r.Confidence >= 1-alpha-1e-9 && s.Lo >= 1/limit && s.Hi <= limit:
		r.Verdict = Same
	default:
		r.Why = r.doubt(alpha)
	}
}

// unfit says why nothing can be told of a row, whatever its numbers are.
func (r *Row) unfit(gate bool) string {
	switch {
	case r.Ratio.Median == 0:
		return "there is no ratio"
	case r.Confidence == 0 && r.Level == Events:
		return "a result without interval, such as a single sample"
	case gate && !r.judged && r.Level == Events:
		return "one launch says nothing about the next: measure several, or give the noise floor of this machine"
	}
	return ""
}

// doubt says why a row with an interval is not clear.
func (r *Row) doubt(alpha float64) string {
	s, limit := r.slowness(), 1+r.Threshold
	few := r.Level == Launches && stats.LeastP(r.NA, r.NB) >= alpha
	switch {
	case few:
		return fmt.Sprintf("%d and %d launches are too few to tell anything: 4 each are the least", r.NA, r.NB)
	case (s.Median > limit || s.Median < 1/limit) && r.P < alpha:
		return "alone it would count, among so many cells it may be chance"
	case s.Median > limit || s.Median < 1/limit:
		return "it may be chance"
	}
	return fmt.Sprintf("a difference of %s %% is possible", percent(max(math.Abs(s.Hi-1), math.Abs(1-s.Lo))))
}

// percent writes a share with two digits, or as a whole number: 0.31, 4.7, 120.
func percent(share float64) string {
	if share >= 0.0995 {
		return fmt.Sprintf("%.0f", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}

// judge adjusts the p-values where a gate is asked for, and gives all rows their verdicts.
func (r *Result) judge() {
	p := make([]float64, len(r.Rows))
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Confidence == 0 {
			row.P = 1
		}
		p[i] = row.P
	}
	if r.Options.Gate {
		p = stats.Holm(p)
	}
	for i := range r.Rows {
		r.Rows[i].Adjusted = p[i]
		r.Rows[i].decide(r.Options.Alpha, r.Options.Gate)
	}
	if r.Options.Gate {
		r.Gate = r.gate()
	}
}
