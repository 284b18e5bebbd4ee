package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactLaunches is the largest product of sample sizes for which the distribution of U is computed
// exactly. Above it, the normal approximation is accurate to four digits.
const exactLaunches = 1600

// ShiftRanks returns the rank k, from 1, such that the k-th smallest and the k-th largest of all n1
// x n2 ratios (or differences) between two samples bound the true one at a level of at least level,
// and the attained level. If the samples are too small for the level, k is 1, which selects the
// range of the ratios, and attained is below level. For empty samples both are zero.
//
// Source: the interval that belongs to the Mann-Whitney test, Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, 3rd ed., section 4.3; k - 1 is the critical value of U.
func ShiftRanks(n1, n2 int, level float64) (k int, attained float64) {
	if n1 < 1 || n2 < 1 {
		return 0, 0
	}
	tail := (1 - level) / 2
	if n1*n2 > exactLaunches {
		n := float64(n1) * float64(n2)
		sigma := math.Sqrt(n * float64(n1+n2+1) / 12)
		k = max(1, int(n/2+0.5+sigma*distuv.UnitNormal.Quantile(tail)))
		return k, 1 - 2*distuv.UnitNormal.CDF((float64(k)-0.5-n/2)/sigma)
	}
	below := 0.0 // P(U <= k-1)
	k = 1
	for u, p := range distributionU(n1, n2) {
		if u > 0 && below+p > tail || u > (n1*n2-1)/2 {
			break
		}
		below += p
		k = u + 1
	}
	return k, 1 - 2*below
}

// distributionU returns P(U = u) for u = 0.. n1 n2 without ties (Mann and Whitney 1947).
func distributionU(n1, n2 int) []float64 {
	// The numbers of ways to get u are the coefficients of the Gaussian binomial: multiply by 1 -
	// q^(n2+i), divide by 1 - q^i.
	top := n1 * n2
	ways := make([]float64, top+1)
	ways[0] = 1
	for i := 1; i <= n1; i++ {
		for u := top; u >= n2+i; u-- {
			ways[u] -= ways[u-n2-i]
		}
		for u := i; u <= top; u++ {
			ways[u] += ways[u-i]
		}
	}
	sum := 0.0
	for _, w := range ways {
		sum += w
	}
	for u := range ways {
		ways[u] /= sum
	}
	return ways
}

// Shift returns the ratio of b to a for two samples of positive, independent values, such as the
// medians of launches: the median of all ratios of a value of b to one of a (Hodges and Lehmann
// 1963, on logarithms), with the interval that belongs to the Mann-Whitney test, and its attained
// level. The interval contains 1 if and only if the test does not find a difference at that level.
func Shift(a, b []float64, level float64) (r Interval, attained float64) {
	k, attained := ShiftRanks(len(a), len(b), level)
	if k == 0 {
		return Interval{}, 0
	}
	ratios := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		if !(x > 0) {
			return Interval{}, 0
		}
		for _, y := range b {
			ratios = append(ratios, y/x)
		}
	}
	slices.Sort(ratios)
	n := len(ratios)
	r = Interval{Median: math.Sqrt(ratios[(n-1)/2] * ratios[n/2]), Lo: ratios[k-1], Hi: ratios[n-k]}
	return r, attained
}

// LeastP returns the smallest p-value of the Mann-Whitney test for samples of n1 and n2 values:
// that of samples that do not overlap.
func LeastP(n1, n2 int) float64 {
	if n1 < 1 || n2 < 1 {
		return 1
	}
	ways := 1.0 // n1 + n2 choose n1
	for i := 1; i <= n1; i++ {
		ways *= float64(n2+i) / float64(i)
	}
	return min(1, 2/ways)
}
