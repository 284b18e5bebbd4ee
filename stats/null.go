package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactPairs is the largest number of pairs of values for which the distribution of U is computed
// exactly. Above it, the normal approximation is accurate to four digits.
const exactPairs = 1600

// A null is the distribution of U, the number of pairs of values in which that of the second sample
// is smaller, for two samples without ties that do not differ. Several strata are added.
type null struct {
	pairs int       // the largest U
	below []float64 // P(U <= u); nil = normal approximation
	sigma float64   // standard deviation of U
}

// newNull returns the distribution for the sizes of both samples in each stratum.
func newNull(sizes ...[2]int) null {
	d := null{}
	variance := 0.0
	for _, n := range sizes {
		d.pairs += n[0] * n[1]
		variance += float64(n[0]) * float64(n[1]) * float64(n[0]+n[1]+1) / 12
	}
	d.sigma = math.Sqrt(variance)
	if d.pairs == 0 || d.pairs > exactPairs {
		return d
	}
	p := []float64{1}
	for _, n := range sizes {
		p = sum(p, distributionU(n[0], n[1]))
	}
	for i := 1; i < len(p); i++ {
		p[i] += p[i-1]
	}
	d.below = p
	return d
}

// sum returns the distribution of the sum of two independent counts.
func sum(p, q []float64) []float64 {
	if len(p) == 1 {
		return q
	}
	r := make([]float64, len(p)+len(q)-1)
	for i, x := range p {
		for j, y := range q {
			r[i+j] += x * y
		}
	}
	return r
}

// distributionU returns P(U = u) for u = 0.. n1 n2 (Mann and Whitney 1947).
func distributionU(n1, n2 int) []float64 {
	// The numbers of ways to get u are the coefficients of the Gaussian binomial: multiply by 1 -
	// q^(n2+i), divide by 1 - q^i.
	top := n1 * n2
	counts := make([]float64, top+1)
	counts[0] = 1
	for i := 1; i <= n1; i++ {
		for u := top; u >= n2+i; u-- {
			counts[u] -= counts[u-n2-i]
		}
		for u := i; u <= top; u++ {
			counts[u] += counts[u-i]
		}
	}
	sum := 0.0
	for _, w := range counts {
		sum += w
	}
	for u := range counts {
		counts[u] /= sum
	}
	return counts
}

// upTo returns P(U <= u), with a continuity correction where it is approximate.
func (d null) upTo(u int) float64 {
	if d.below != nil {
		return d.below[u]
	}
	return distuv.UnitNormal.CDF((float64(u) + 0.5 - float64(d.pairs)/2) / d.sigma)
}

// rank returns the rank k, from 1, such that the k-th smallest and the k-th largest of all ratios
// bound the true one at a level of at least level, and the attained level. If the samples are too
// small for the level, k is 1, which selects the range of the ratios, and attained is below level.
//
// Source: the interval that belongs to the Mann-Whitney test, Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, 3rd ed., section 4.3; k - 1 is the critical value of U.
func (d null) rank(level float64) (k int, attained float64) {
	tail := (1 - level) / 2
	k = 1
	if d.below == nil {
		k = max(1, int(float64(d.pairs)/2+0.5+d.sigma*distuv.UnitNormal.Quantile(tail)))
	}
	for d.below != nil && k <= (d.pairs-1)/2 && d.upTo(k) <= tail {
		k++
	}
	return k, 1 - 2*d.upTo(k-1)
}

// MinP returns the smallest p-value of a Shift of n1 and n2 values in one stratum: that of
// samples that do not overlap.
func MinP(n1, n2 int) float64 {
	if n1 < 1 || n2 < 1 {
		return 1
	}
	counts := 1.0 // n1 + n2 choose n1
	for i := 1; i <= n1; i++ {
		counts *= float64(n2+i) / float64(i)
	}
	return min(1, 2/counts)
}
