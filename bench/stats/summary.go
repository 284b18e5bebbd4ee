// Package stats computes numbers about samples of measured times: order
// statistics, the interval of the median, warm-up, stopping, comparison. It
// imports nothing of gobench, and it never computes a mean of measurements.
package stats

import (
	"fmt"
	"math"
	"slices"
)

// Summary describes a sample by its order statistics, in the unit of the
// sample. A statistic that the sample is too small for is absent (zero): the
// interval below 6 effective values, P90 below 10 values, P99 below 100, P999
// below 1000.
type Summary struct {
	N          int // values in the sample
	EffectiveN int // independent values that would carry as much information about the median

	// P50 is the median, the middle of the two middle values where N is even;
	// the other percentiles are observed values (nearest rank).
	Min, P50, P90, P99, P999, Max float64

	// Lo and Hi bound the median, by order statistics of the sample at the
	// ranks for EffectiveN values (MedianRanks).
	Lo, Hi     float64
	Confidence float64 // level attained by whole ranks: at least 0.95, or 0 without interval

	Warnings []string // what a reader of the numbers should know
}

// Level is the confidence asked of every interval. It is nominal: looking at
// a growing sample again and again (NextCheck) lowers it a little.
const Level = 0.95

const noSamples = "no samples: no result"

// Summarize describes samples, which are in the order in which they were
// taken (autocorrelation depends on it). samples is not modified.
//
// Values that are not finite make a sample useless: the result then has N = 0
// and a warning that says so.
func Summarize(samples []float64) Summary {
	bad := 0
	for _, x := range samples {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			bad++
		}
	}
	if bad > 0 {
		return Summary{Warnings: []string{fmt.Sprintf("%d of %d values are not finite numbers: no result", bad, len(samples))}}
	}
	if len(samples) == 0 {
		return Summary{Warnings: []string{noSamples}}
	}
	sorted := slices.Clone(samples)
	slices.Sort(sorted)
	s := Summary{N: len(sorted), EffectiveN: effectiveN(samples, sorted)}
	s.order(func(rank int) float64 { return sorted[rank-1] })
	if m := FindModes(sorted); m.Found() {
		s.Warnings = append(s.Warnings, m.String())
	}
	return s
}

// order fills in the order statistics; at gives the value of a rank from 1 to
// s.N.
func (s *Summary) order(at func(rank int) float64) {
	n := s.N
	s.Min, s.Max = at(1), at(n)
	lower, upper := at((n+1)/2), at(n/2+1)
	s.P50 = lower + (upper-lower)/2
	s.P90, s.P99, s.P999 = 0, 0, 0
	s.Lo, s.Hi, s.Confidence = 0, 0, 0
	for _, p := range []struct {
		to    *float64
		oneIn int // the percentile leaves out one value in so many
	}{{&s.P90, 10}, {&s.P99, 100}, {&s.P999, 1000}} {
		if n >= p.oneIn {
			*p.to = at(n - n/p.oneIn)
		}
	}
	lo, hi, confidence := MedianRanks(s.EffectiveN, Level)
	if confidence == 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf(
			"no interval of the median: it needs 6 independent values, the sample of %d is worth %d", n, s.EffectiveN))
		return
	}
	lo, hi = widen(lo, hi, s.EffectiveN, n)
	s.Lo, s.Hi, s.Confidence = at(lo), at(hi), confidence
}
