package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactTied is the largest number of values for which the distribution of U with ties is counted.
const exactTied = 50

// mannWhitney returns the p-value of the two-sided U test of Mann and Whitney (1947): twice the
// probability that a random assignment of the values to a and b gives a U at least as extreme. It
// is exact for small samples, also with ties, which a coarse clock causes. For larger samples it
// uses the normal approximation with corrections for ties and continuity (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3rd ed., section 4.1). a and b are finite and not
// empty.
func mannWhitney(a, b []float64) float64 {
	ties := tiesOf(a, b)
	n1, n2 := len(a), len(b)
	u := 0 // twice U, which ties make a multiple of one half
	below := 0
	for _, t := range ties {
		u += 2*t.a*below + t.a*(t.all-t.a)
		below += t.all - t.a
	}
	tied := len(ties) < n1+n2
	switch {
	case tied && n1+n2 <= exactTied:
		return twoSided(distributionTied(ties, n1, n2), u)
	case !tied && n1*n2 <= exactLaunches:
		return twoSided(distributionU(n1, n2), u/2)
	}
	n, correction := float64(n1+n2), 0.0
	for _, t := range ties {
		k := float64(t.all)
		correction += k * (k*k - 1)
	}
	product := float64(n1) * float64(n2)
	sigma := math.Sqrt(product / 12 * (n + 1 - correction/(n*(n-1))))
	if sigma == 0 {
		return 1 // all values are equal
	}
	z := max(0, math.Abs(float64(u)/2-product/2)-0.5) / sigma
	return min(1, 2*distuv.UnitNormal.CDF(-z))
}

// A tie holds the number of equal values, and how many of them are of a.
type tie struct{ all, a int }

// tiesOf returns the ties of the different values in ascending order.
func tiesOf(a, b []float64) []tie {
	type value struct {
		x float64
		a int
	}
	var values []value
	for _, x := range a {
		values = append(values, value{x, 1})
	}
	for _, x := range b {
		values = append(values, value{x, 0})
	}
	slices.SortFunc(values, func(p, q value) int { return cmp.Compare(p.x, q.x) })
	var ties []tie
	for i, v := range values {
		if i == 0 || v.x != values[i-1].x {
			ties = append(ties, tie{})
		}
		t := &ties[len(ties)-1]
		t.all, t.a = t.all+1, t.a+v.a
	}
	return ties
}

// distributionTied returns P(2U = u) for u = 0.. 2 n1 n2 with the given ties. For value after
// value, it counts the ways to assign k values to a with each u.
func distributionTied(ties []tie, n1, n2 int) []float64 {
	top := 2 * n1 * n2
	ways := make([][]float64, n1+1)
	for k := range ways {
		ways[k] = make([]float64, top+1)
	}
	ways[0][0] = 1
	seen := 0 // values before
	for _, t := range ties {
		for k := min(seen, n1); k >= 0; k-- { // descending, because ways[k+c] is modified
			from := ways[k]
			for c := min(t.all, n1-k); c >= 0; c-- {
				// seen - k values of b are below the c new values of a, and t.all - c are equal.
				more, choices := c*(2*(seen-k)+t.all-c), binomial(t.all, c)
				if c == 0 {
					continue // ways[k] does not change
				}
				to := ways[k+c]
				for u := 0; u+more <= top; u++ {
					if from[u] != 0 {
						to[u+more] += choices * from[u]
					}
				}
			}
		}
		seen += t.all
	}
	all, p := binomial(n1+n2, n1), ways[n1]
	for u := range p {
		p[u] /= all
	}
	return p
}

func binomial(n, k int) float64 {
	x := 1.0
	for i := 1; i <= k; i++ {
		x = x * float64(n-k+i) / float64(i)
	}
	return math.Round(x)
}

// twoSided returns twice the smaller tail of a distribution at u, at most 1.
func twoSided(p []float64, u int) float64 {
	below, above := 0.0, 0.0
	for i, x := range p {
		if i <= u {
			below += x
		}
		if i >= u {
			above += x
		}
	}
	return min(1, 2*min(below, above))
}
