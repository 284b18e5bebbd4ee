package stats

import (
	"math"
	"slices"
)

// A Stratum holds the values of two samples that were measured under the same conditions, such as
// one state of the cores.
type Stratum struct{ A, B []float64 }

// A Shift is the factor by which sample B is larger than sample A, such as 1.05 for a slowdown of
// 5 %. The values are positive and independent, such as the medians of launches. Only values of the
// same stratum are compared, so that a difference between strata has no influence.
//
// Let R be the ratios b/a of all values of one stratum, for all strata together. The estimate of
// the factor is the median of R (Hodges and Lehmann 1963, on logarithms). The test of the
// hypothesis that the factor is f counts the elements of R below f, which is the statistic U of
// Mann and Whitney (1947) summed over the strata. Its distribution under the hypothesis follows
// from all permutations within the strata (Lehmann, Nonparametrics, section 3.3, without van
// Elteren's weights), so that it is exact for few values. The interval contains the factors that
// the test does not reject: it excludes 1 if and only if the p-value of 1 is at most 1 minus its
// attained level. Ties count against a difference.
type Shift struct {
	strata []Stratum // sorted values
	null   null

	// The sorted ratios in (after, last], and the number of ratios up to after.
	window      []float64
	after, last float64
	skipped     int
}

// fewRatios is the number of ratios that are stored and sorted together. Halving the range once
// more takes less time than sorting twice as many.
const fewRatios = 256

// NewShift compares the samples of strata. A stratum without values of a or b has no influence.
func NewShift(strata ...Stratum) *Shift {
	s := &Shift{}
	var sizes [][2]int
	for _, x := range strata {
		if len(x.A) > 0 && len(x.B) > 0 {
			x = Stratum{slices.Clone(x.A), slices.Clone(x.B)}
			slices.Sort(x.A)
			slices.Sort(x.B)
			s.strata = append(s.strata, x)
			sizes = append(sizes, [2]int{len(x.A), len(x.B)})
		}
	}
	for _, x := range s.strata {
		for _, values := range [][]float64{x.A, x.B} {
			// NaN is the first of sorted values.
			if !(values[0] > 0) || math.IsInf(values[len(values)-1], 1) {
				return &Shift{}
			}
		}
	}
	s.null = newNull(sizes...)
	return s
}

// Ratio returns the estimate with the interval of a level, and the level attained by whole ranks.
// If the samples are too small for the level, the interval is the range of the ratios, and attained
// is below level. Both are zero if there are no ratios, or a value is not a positive number.
func (s *Shift) Ratio(level float64) (r Interval, attained float64) {
	n := s.null.pairs
	if n == 0 {
		return Interval{}, 0
	}
	k, attained := s.null.rank(level)
	middle := math.Sqrt(s.at((n+1)/2) * s.at(n/2+1))
	return Interval{Median: middle, Lo: s.at(k), Hi: s.at(n + 1 - k)}, attained
}

// P returns the two-sided p-value of the hypothesis that the ratio is by. It is 1 if there are no
// ratios.
func (s *Shift) P(by float64) float64 {
	n := s.null.pairs
	if n == 0 {
		return 1
	}
	upTo := s.count(by)
	from := n - s.count(math.Nextafter(by, 0))
	return min(1, 2*s.null.upTo(min(upTo, from)))
}

// MinP returns the smallest p-value that samples of these sizes can have: that of samples that do
// not overlap.
func (s *Shift) MinP() float64 {
	if s.null.pairs == 0 {
		return 1
	}
	return min(1, 2*s.null.upTo(0))
}

// count returns the number of ratios of at most limit.
func (s *Shift) count(limit float64) int {
	n := 0
	for _, x := range s.strata {
		j := 0
		for _, a := range x.A { // with growing a the ratios decrease
			for j < len(x.B) && x.B[j]/a <= limit {
				j++
			}
			n += j
		}
	}
	return n
}

// at returns the k-th smallest ratio, k from 1. It halves a range that contains the ratio until few
// ratios are in it, because all ratios of thousands of launches do not fit into memory.
func (s *Shift) at(k int) float64 {
	if k > s.skipped && k <= s.skipped+len(s.window) {
		return s.window[k-s.skipped-1]
	}
	after, last := s.extent()
	skipped, upTo := 0, s.null.pairs
	for upTo-skipped > fewRatios {
		// Positive numbers have the same order as their bits.
		low, high := math.Float64bits(max(after, 0)), math.Float64bits(last)
		if high-low == 1 {
			return last // thousands of ratios are equal
		}
		middle := math.Float64frombits(low + (high-low)/2)
		if n := s.count(middle); n >= k {
			last, upTo = middle, n
		} else {
			after, skipped = middle, n
		}
	}
	s.after, s.last, s.skipped = after, last, skipped
	s.window = s.within(s.window[:0], after, last)
	slices.Sort(s.window)
	return s.window[k-skipped-1]
}

// extent returns the range (after, last] of all ratios. One that is too small for a float64 is 0,
// and after then below 0.
func (s *Shift) extent() (after, last float64) {
	after = math.MaxFloat64
	for _, x := range s.strata {
		after = min(after, x.B[0]/x.A[len(x.A)-1])
		last = max(last, x.B[len(x.B)-1]/x.A[0])
	}
	return math.Nextafter(after, -1), max(last, math.SmallestNonzeroFloat64)
}

// within appends the ratios in (after, last] to list, which are positive.
func (s *Shift) within(list []float64, after, last float64) []float64 {
	for _, x := range s.strata {
		from := 0
		for _, a := range x.A {
			for from < len(x.B) && x.B[from]/a <= after {
				from++
			}
			for _, b := range x.B[from:] {
				if b/a > last {
					break
				}
				list = append(list, max(b/a, math.SmallestNonzeroFloat64))
			}
		}
	}
	return list
}

// Spread returns the median factor between two of the values, which are positive: 1.05 if half of
// all pairs differ by more than 5 %. It is 1 for fewer than two values.
func Spread(values []float64) float64 {
	n := len(values)
	if n < 2 {
		return 1
	}
	// Of the n² ratios of values to themselves, n (n-1)/2 are below 1 and n are 1, if all differ.
	s := NewShift(Stratum{values, values})
	pairs := n * (n - 1) / 2
	return math.Sqrt(s.at(pairs+n+(pairs+1)/2) * s.at(pairs+n+pairs/2+1))
}
