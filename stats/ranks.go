package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MedianRanks returns the ranks (from 1) of the order statistics of n independent values that bound
// the median at a level of at least level, and the attained level: 1 - 2 P(B < lo) for B binomial
// (n, 1/2). The ranks are symmetric, lo + hi = n + 1. If n is too small for the level, all three
// are zero.
//
// Source: the distribution-free interval of order statistics, as in David and Nagaraja, Order
// Statistics, 7.1, and Hoefler and Belli (SC'15). Unlike those of benchmath, these ranks are exact
// for every n and symmetric.
func MedianRanks(n int, level float64) (lo, hi int, attained float64) {
	if n < 1 {
		return 0, 0, 0
	}
	b := distuv.Binomial{N: float64(n), P: 0.5}
	attain := func(lo int) float64 { return 1 - 2*b.CDF(float64(lo-1)) }
	// The search begins at the normal approximation, whose error is at most one rank.
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	lo = max(1, int(float64(n)/2-z*math.Sqrt(float64(n))/2))
	for lo > 1 && attain(lo) < level {
		lo--
	}
	for 2*(lo+1) <= n && attain(lo+1) >= level {
		lo++
	}
	if attained = attain(lo); attained < level {
		return 0, 0, 0
	}
	return lo, n + 1 - lo, attained
}

// widen converts the ranks of an interval for effective values to those of a sample of n >=
// effective values: the same shares of the sample, rounded outwards.
func widen(lo, hi, effective, n int) (int, int) {
	if effective >= n {
		return lo, hi
	}
	half := float64(hi-lo) / 2 / float64(effective) * float64(n)
	middle := float64(n+1) / 2
	return max(1, int(math.Floor(middle-half))), min(n, int(math.Ceil(middle+half)))
}
