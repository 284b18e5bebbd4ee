package stats

import (
	"cmp"
	"math"
	"slices"

	"gobench/internal/collect"
)

// Ratio returns the median of b divided by that of a with its interval. It needs no samples, so
// records can be compared. a and b are independent and positive. The bounds are zero if a or b has
// no interval.
//
// Method: MOVER (Donner and Zou 2012) on logarithms: the squares of the distances of the bounds
// from the medians, which need not be symmetric, are added.
func Ratio(a, b Interval) Interval {
	if a.Median <= 0 || b.Median <= 0 {
		return Interval{}
	}
	r := Interval{Median: b.Median / a.Median}
	if a.Lo <= 0 || b.Lo <= 0 {
		return r
	}
	distance := func(x, y float64) float64 { return math.Log(x / y) }
	r.Lo = r.Median * math.Exp(-math.Hypot(distance(b.Median, b.Lo), distance(a.Hi, a.Median)))
	r.Hi = r.Median * math.Exp(math.Hypot(distance(b.Hi, b.Median), distance(a.Median, a.Lo)))
	return r
}

// Interval returns the median of s with its bounds.
func (s Summary) Interval() Interval { return Interval{Median: s.P50, Lo: s.Lo, Hi: s.Hi} }

// Holm returns p-values adjusted for their number, in the order of p: if each is compared with
// alpha, the probability of any false alarm is at most alpha (Holm 1979, A simple sequentially
// rejective multiple test procedure).
func Holm(p []float64) []float64 {
	order := collect.Range(len(p))
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted := make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}
