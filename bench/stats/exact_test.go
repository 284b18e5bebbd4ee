package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// exactP returns the two-sided p-value of Mann and Whitney by its definition: twice the share of
// all assignments of the values to a and b whose U is at least as extreme, on the side with the
// smaller share. Ties count one half.
func exactP(a, b []float64) float64 {
	all := append(append([]float64{}, a...), b...)
	u := func(chosen uint) (u float64) {
		for i, x := range all {
			for j, y := range all {
				if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
					switch {
					case x > y:
						u++
					case x == y:
						u += 0.5
					}
				}
			}
		}
		return u
	}
	seen := u(1<<len(a) - 1)
	var below, above, ways float64
	for chosen := range uint(1) << len(all) {
		if bits.OnesCount(chosen) != len(a) {
			continue
		}
		ways++
		if x := u(chosen); x <= seen {
			below++
			if x == seen {
				above++
			}
		} else {
			above++
		}
	}
	return min(1, 2*min(below, above)/ways)
}

func TestCompareAgainstTheDefinition(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		a, b := make([]float64, 2+r.IntN(4)), make([]float64, 2+r.IntN(4))
		kinds := 2 + r.IntN(12) // the fewer, the more ties
		for i := range a {
			a[i] = float64(1 + r.IntN(kinds))
		}
		for i := range b {
			b[i] = float64(1+r.IntN(kinds)) + float64(seed%3)
		}
		if got, want := Compare(a, b).P, exactP(a, b); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v and %v: p is %.6f, by counting it is %.6f", a, b, got, want)
		}
	}
}

// The normal approximation for larger samples agrees with the exact values at the limit.
func TestNormalApproximationAtTheLimit(t *testing.T) {
	for _, tied := range []bool{false, true} {
		for _, shift := range []float64{0, 3.3, 7.7} {
			p := func(n int) float64 {
				a, b := make([]float64, n), make([]float64, n)
				for i := range n {
					a[i], b[i] = float64(i*50/n), float64(i*50/n)+shift+0.01
					if !tied {
						a[i], b[i] = 50*float64(i)/float64(n), 50*float64(i)/float64(n)+shift+0.01
					}
				}
				return mannWhitney(a, b)
			}
			n := 40 // the last that is counted
			if tied {
				n = 25
			}
			exact, normal := p(n), p(n+1)
			if math.Abs(exact-normal) > 0.02+0.1*exact {
				t.Errorf("tied %v, shift %v: p is %.4f for %d values each and %.4f for one more", tied, shift, exact, n, normal)
			}
		}
	}
}
