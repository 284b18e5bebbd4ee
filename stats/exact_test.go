package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// exactP returns the two-sided p-value by its definition: twice the share of all assignments of the
// values to a and b, within each stratum, that have at most as many pairs on the rarer side. Values
// that are equal are first made different, against the difference.
func exactP(strata []Stratum, by float64) float64 {
	below, above := 0, 0
	counts := []float64{1} // assignments by number of pairs in which b is smaller
	for _, s := range strata {
		for _, a := range s.A {
			for _, b := range s.B {
				if b/a <= by {
					below++
				}
				if b/a >= by {
					above++
				}
			}
		}
		n := len(s.A) + len(s.B)
		of := make([]float64, len(s.A)*len(s.B)+1)
		for chosen := range uint(1) << n {
			if bits.OnesCount(chosen) != len(s.A) {
				continue
			}
			u := 0
			for i := range n {
				for j := range i {
					if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
						u++
					}
				}
			}
			of[u]++
		}
		counts = sum(append([]float64{0}, counts...), append([]float64{0}, of...))[2:]
	}
	all, extreme := 0.0, 0.0
	for u, n := range counts {
		all += n
		if u <= min(below, above) {
			extreme += n
		}
	}
	return min(1, 2*extreme/all)
}

func TestPAgainstTheDefinition(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		strata := make([]Stratum, 1+seed%3)
		kinds := 2 + r.IntN(12) // the fewer, the more ties
		for i := range strata {
			s := Stratum{make([]float64, 1+r.IntN(4)), make([]float64, 1+r.IntN(4))}
			for i := range s.A {
				s.A[i] = float64(1 + r.IntN(kinds))
			}
			for i := range s.B {
				s.B[i] = float64(1+r.IntN(kinds)) + float64(seed%4)
			}
			strata[i] = s
		}
		if got, want := NewShift(strata...).P(1), exactP(strata, 1); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: p is %.6f, by counting it is %.6f", strata, got, want)
		}
	}
}

// The normal approximation for larger samples agrees with the exact values at the limit.
func TestNormalApproximationAtTheLimit(t *testing.T) {
	for _, shift := range []float64{0, 3.3, 7.7} {
		p := func(n int) float64 {
			a, b := make([]float64, n), make([]float64, n)
			for i := range n {
				a[i], b[i] = 1+50*float64(i)/float64(n), 1+50*float64(i)/float64(n)+shift+0.01
			}
			return NewShift(Stratum{a, b}).P(1)
		}
		exact, normal := p(40), p(41)
		if math.Abs(exact-normal) > 0.02+0.1*exact {
			t.Errorf("shift %v: p is %.4f for 40 values each and %.4f for one more", shift, exact, normal)
		}
	}
}
