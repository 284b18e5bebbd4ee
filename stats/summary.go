// Package stats computes statistics of samples of measured times: order statistics, the interval of
// the median, warm-up, comparison. It imports nothing of gobench. No verdict is based on a mean.
package stats

import (
	"fmt"
	"math"
	"slices"
)

// Summary describes a sample by its order statistics, in the unit of the sample. A statistic is
// absent (zero) if the sample is too small: the interval below 20 effective values, P90 below 10
// values, P99 below 100, P999 below 1000.
type Summary struct {
	N          int // values in the sample
	EffectiveN int // independent values with as much information about the median, a conservative estimate

	// Quantiles of the sample, as defined by Quantile.
	Min, P50, P90, P99, P999, Max float64

	// Mean allows a comparison with programs that publish means, such as IMB and OSU. It is not
	// used otherwise, because it is sensitive to interruptions.
	Mean float64

	// Lo and Hi bound the median. They are order statistics of the sample at the ranks for
	// EffectiveN values (MedianRanks).
	Lo, Hi     float64
	Confidence float64 // level attained by whole ranks: at least 0.95, or 0 without interval

	Warnings []string // one sentence each
}

// MinSamples is the minimum number of samples of a result.
const MinSamples = 30

// Level is the confidence of every interval. Simulated intervals of correlated values contain the
// median in 93 % of the cases or more (TestIntervalsCover).
const Level = 0.95

// minEffective is the number of independent values that an interval needs. With fewer, the
// estimated autocorrelation time is too inaccurate.
const minEffective = 20

// A ranker returns the ranks of an interval of the median, as MedianRanks does.
type ranker func(n int, level float64) (lo, hi int, attained float64)

// Begins of warnings.
const (
	noSamples  = "no samples: no result"
	noInterval = "no confidence interval"
)

// Summarize describes samples, which are in the order in which they were taken (autocorrelation
// depends on it). samples is not modified. If a value is not finite, the result has N = 0 and a
// warning.
func Summarize(samples []float64) Summary { return summarize(samples, effectiveN, MedianRanks) }

// summarize is Summarize with any rules, for tests of wrong ones.
func summarize(samples []float64, effective func(samples, sorted []float64) int, ranks ranker) Summary {
	s, sorted := ordered(samples)
	if s.N == 0 {
		return s
	}
	s.EffectiveN = effective(samples, sorted)
	s.order(func(rank int) float64 { return sorted[rank-1] }, ranks)
	if m := FindModes(sorted); m.Found() {
		s.Warnings = append(s.Warnings, m.String())
	}
	return s
}

// ordered returns the sorted samples, and a summary with N and Mean. N is 0, with a warning, if
// there are no samples or one is not finite.
func ordered(samples []float64) (Summary, []float64) {
	bad := 0
	for _, x := range samples {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			bad++
		}
	}
	if bad > 0 {
		return Summary{Warnings: []string{fmt.Sprintf("%d of %d values are not finite numbers: no result", bad, len(samples))}}, nil
	}
	if len(samples) == 0 {
		return Summary{Warnings: []string{noSamples}}, nil
	}
	sorted := slices.Clone(samples)
	slices.Sort(sorted)
	sum := 0.0
	for _, x := range samples {
		sum += x
	}
	return Summary{N: len(sorted), Mean: sum / float64(len(sorted))}, sorted
}

// order sets the order statistics. at returns the value of a rank from 1 to s.N; ranks returns the
// ranks of the interval for s.EffectiveN values.
func (s *Summary) order(at func(rank int) float64, ranks ranker) {
	n := s.N
	s.Min, s.Max = at(1), at(n)
	s.P50 = quantile(n, 0.5, at)
	s.P90, s.P99, s.P999 = 0, 0, 0
	s.Lo, s.Hi, s.Confidence = 0, 0, 0
	for _, p := range []struct {
		to  *float64
		q   float64
		min int // values
	}{{&s.P90, 0.9, 10}, {&s.P99, 0.99, 100}, {&s.P999, 0.999, 1000}} {
		if n >= p.min {
			*p.to = quantile(n, p.q, at)
		}
	}
	lo, hi, confidence := ranks(s.EffectiveN, Level)
	if s.EffectiveN < minEffective || confidence == 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf(
			noInterval+": effective sample size %d of %d (%d needed)", s.EffectiveN, n, minEffective))
		return
	}
	lo, hi = widen(lo, hi, s.EffectiveN, n)
	s.Lo, s.Hi, s.Confidence = at(lo), at(hi), confidence
}

// Median returns the median of values, which are not modified: the mean of the two middle ones of
// an even number; 0 if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return Quantile(sorted, 0.5)
}

// Quantile returns a quantile of sorted values, of which there is one at least, for q from 0 to 1.
//
// It is the only definition of quantiles here, for events of a launch and for launches: the median
// is the mean of the two middle values of an even number, and any other quantile is an observed
// value, the least that a share q of the values does not exceed (nearest rank: type 1 of Hyndman
// and Fan 1996). An observed value can be taken from a histogram as well, and a tail of few values
// is not invented by interpolation.
func Quantile(sorted []float64, q float64) float64 {
	return quantile(len(sorted), q, func(rank int) float64 { return sorted[rank-1] })
}

// quantile is Quantile for n values. at returns the value of a rank from 1 to n.
func quantile(n int, q float64, at func(rank int) float64) float64 {
	if q == 0.5 {
		lower, upper := at((n+1)/2), at(n/2+1)
		return lower + (upper-lower)/2
	}
	const rounding = 1e-12 // of q, which a float64 does not hold exactly
	rank := int(math.Ceil(q * float64(n) * (1 - rounding)))
	return at(min(max(rank, 1), n))
}

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
