package stats

import (
	"fmt"
	"math"
	"slices"
)

// MinLaunches is the minimum number of launches for an interval of 95 %: the least and the
// greatest of six bound the median at a level of 0.97.
const MinLaunches = 6

// maxSerial is the correlation of successive launches above which even their range is too narrow.
const maxSerial = 0.6

// reach returns the factor by which the distance of each bound from the median is increased, for n
// launches: it is greatest for the least number of launches, whose range is narrowest. It was
// chosen by simulation (TestLaunchesCover).
func reach(n int) float64 { return 1.5 / float64(n-4) }

// Launches returns the median of the medians of launches with its interval. medians are in the
// order in which they were measured, and are not modified. Only N, EffectiveN, Min, P50, Mean, Max,
// the interval and Warnings of the result are set. Launches is also used for other small samples of
// values that were measured at different times.
//
// Method: order statistics (MedianRanks). The distance of each bound from the median is increased
// by the factor 1.5/(n-4) (0.75 for 6 launches, 0.375 for 8), because on a shared machine launches
// within some seconds differ less than launches of different minutes, which a small sample does not
// show. There is no interval below 6 launches.
//
// Launches of one command follow each other in time. Their lag-1 rank correlation r (Wald and
// Wolfowitz 1943; 1 - r is half of the rank von Neumann ratio of Bartels 1982), with 1/n added for
// its bias, is the parameter of an autoregression: n launches count as n (1-r)/(1+r) independent
// ones, at most n. If these are fewer than 6, the interval is the range of the launches; if r is
// also above 0.6, as in a drift, there is none. Both give a warning.
//
// Share of intervals that contain the median of simulated launches (TestLaunchesCover):
//
//	correlation   0     0.3   0.5   0.7
//	 6 launches  0.99  0.98  0.95  0.88
//	 7 launches  1.00  0.98  0.96  0.89
//	 8 launches  1.00  0.99  0.97  0.90
//	12 launches  0.99  0.97  0.96  0.91
//	16 launches  0.99  0.98  0.97  0.92
//
// At a correlation of 0.7, the range of 8 launches contains the median in at most 82 % of the
// cases, and their correlation is not visible. More launches are needed, or longer pauses between
// them.
func Launches(medians []float64) Summary { return launches(medians, MedianRanks) }

// launches is Launches with any ranks, for tests of wrong ones.
func launches(medians []float64, ranks ranker) Summary {
	s, sorted := ordered(medians)
	n := s.N
	if n == 0 {
		return s
	}
	s.Min, s.Max = sorted[0], sorted[n-1]
	s.P50 = Quantile(sorted, 0.5)
	serial := min(1, max(0, serialCorrelation(medians)))
	s.EffectiveN = max(1, int(float64(n)*(1-serial)/(1+serial)+0.5))
	switch {
	case n < MinLaunches:
		s.Warnings = append(s.Warnings, fmt.Sprintf("no interval between launches: %d of the %d launches needed", n, MinLaunches))
	case s.EffectiveN >= MinLaunches:
		lo, hi, attained := ranks(s.EffectiveN, Level)
		lo, hi = widen(lo, hi, s.EffectiveN, n)
		s.Lo, s.Hi, s.Confidence = sorted[lo-1], sorted[hi-1], attained
	case serial > maxSerial:
		s.Warnings = append(s.Warnings, fmt.Sprintf(
			"no interval between launches: they drift or are correlated (%.1f), %d count as %d independent ones", serial, n, s.EffectiveN))
	default:
		s.Lo, s.Hi, s.Confidence = s.Min, s.Max, Level
		s.Warnings = append(s.Warnings, fmt.Sprintf(
			"successive launches are correlated (%.1f): the interval is their range", serial))
	}
	if s.Confidence > 0 {
		switch lo := s.Lo - reach(n)*(s.P50-s.Lo); {
		case s.Lo == 0: // a share, which is not negative
		case lo > 0 || s.Lo < 0:
			s.Lo = lo
		default: // the same distance on the scale of logarithms, so that times stay positive
			s.Lo *= math.Pow(s.Lo/s.P50, reach(n))
		}
		s.Hi += reach(n) * (s.Hi - s.P50)
	}
	return s
}

// serialCorrelation returns the lag-1 correlation of ranks, corrected for its bias of -1/n, or 0 if
// all values are equal.
func serialCorrelation(values []float64) float64 {
	r := ranks(values)
	variance := centre(r)
	if variance == 0 {
		return 0
	}
	sum := 0.0
	for i := range len(r) - 1 {
		sum += r[i] * r[i+1]
	}
	return (sum/variance + 1) / float64(len(r))
}

// CappedAt returns s, of values from 0 to most, such as 1 for a share, with its interval limited to
// that range. The interval between launches may exceed the range of these.
func (s Summary) CappedAt(limit float64) Summary {
	s.Lo, s.Hi = max(s.Lo, 0), min(s.Hi, limit)
	return s
}

// Widen returns s with an interval that extends by at least floor, in the unit of s, to both sides
// of the median, because order statistics ignore the resolution of the clock. For k operations
// timed together, floor is half the clock's resolution plus the error of the subtracted cost of a
// reading, divided by k. If the median is not greater than floor, there is no interval.
func (s Summary) Widen(floor float64) Summary {
	if s.Confidence == 0 || !(floor > 0) {
		return s
	}
	if math.Abs(s.P50) <= floor {
		s.Lo, s.Hi, s.Confidence = 0, 0, 0
		s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], "no interval: the clock is coarser than the median")
		return s
	}
	s.Lo, s.Hi = min(s.Lo, s.P50-floor), max(s.Hi, s.P50+floor)
	return s
}

// Unordered is Launches for values whose order of measurement is not known, such as those of logs
// without dates: there is no estimate of their correlation, and no test of a drift. The values are
// not modified.
func Unordered(medians []float64) Summary {
	sorted := slices.Sorted(slices.Values(medians))
	// Values of the lower and the upper half in turn have no positive correlation.
	turns := make([]float64, 0, len(sorted))
	for i, half := 0, (len(sorted)+1)/2; i < half; i++ {
		turns = append(turns, sorted[i])
		if half+i < len(sorted) {
			turns = append(turns, sorted[half+i])
		}
	}
	return Launches(turns)
}
