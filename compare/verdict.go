package compare

import (
	"fmt"
	"math"
	"strings"

	"gobench/internal/human"
	"gobench/record"
	"gobench/stats"
)

// Slowness returns the ratio as a ratio of times: above 1 the side is slower than the base.
func (r *Row) Slowness() stats.Interval {
	if r.Metric.Direction == record.Lower || r.Ratio.Median == 0 {
		return r.Ratio
	}
	inverse := stats.Interval{Median: 1 / r.Ratio.Median}
	if r.Ratio.Lo > 0 {
		inverse.Lo, inverse.Hi = 1/r.Ratio.Hi, 1/r.Ratio.Lo
	}
	return inverse
}

// decide sets the verdict of a row: Faster or Slower if the difference is significant and beyond
// the threshold, Same if the whole interval lies within the threshold, else Unclear.
func (r *Row) decide(alpha float64) {
	r.Verdict = Unclear
	if r.Why == "" {
		r.Why = r.unfit()
	}
	if r.Why != "" {
		return
	}
	s, limit := r.Slowness(), 1+r.Threshold
	sure := r.Adjusted <= alpha
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

// unfit returns why a row without an interval cannot be judged, else "".
func (r *Row) unfit() string {
	switch {
	case r.Level == Single:
		return "one launch"
	case r.Ratio.Median == 0:
		return "there is no ratio"
	}
	return ""
}

// doubt returns why a row with an interval is Unclear.
func (r *Row) doubt(alpha float64) string {
	s, limit := r.Slowness(), 1+r.Threshold
	beyond := s.Median > limit || s.Median < 1/limit
	switch {
	case r.MinP() >= alpha:
		return fmt.Sprintf("%d and %d launches are too few: at least 4 each are needed", r.NA, r.NB)
	case r.Adjusted < alpha:
		return fmt.Sprintf("below the threshold, up to %s %% possible", human.Percent(max(s.Hi, 1/s.Lo)-1))
	case beyond && r.P < alpha:
		return "significant on its own, not after Holm correction"
	case !math.IsInf(r.Detectable, 1):
		return fmt.Sprintf("not significant, a difference of %s would be", slowdown(r.Detectable))
	}
	return "not significant"
}

// slowdown formats a slowdown: 12 %, a factor of 3.4.
func slowdown(share float64) string {
	if share >= 1 {
		return fmt.Sprintf("a factor of %.2g", 1+share)
	}
	return human.Percent(share) + " %"
}

// judge adjusts the p-values for a gate, and sets the verdicts of all rows.
func (r *Result) judge() {
	p := make([]float64, len(r.Rows))
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Confidence == 0 {
			row.P = 1
		}
		p[i] = row.P
	}
	tests := 1
	if r.Options.Gate {
		p = stats.Holm(p)
		tests = max(1, len(p))
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Adjusted = p[i]
		row.Detectable = row.detectable(r.Options.Alpha / float64(tests))
		row.decide(r.Options.Alpha)
	}
	if r.Options.Gate {
		r.Gate = r.gate()
		if len(r.Failed) > 0 {
			r.Gate.Why += "; launches failed: " + strings.Join(r.Failed, ", ")
		}
	}
}
