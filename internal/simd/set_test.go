package simd

import (
	"math"
	"slices"
	"testing"
)

func TestLevelNamesTheBestSet(t *testing.T) {
	known := []string{"none", "avx2", "avx512"}
	for i, s := range Sets() {
		if s.Level != known[i] {
			t.Errorf("set %d is called %q, want %q", i, s.Level, known[i])
		}
	}
	if last := Sets()[len(Sets())-1]; Level() != last.Level || Best() != last {
		t.Errorf("level is %q, the best set %q", Level(), last.Level)
	}
}

// What Set documents for numbers without an order.
func TestMaxAndMinOfNaNAndZeros(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	a := slices.Repeat([]float64{nan, 1, zero, 0, 2}, 9)
	b := slices.Repeat([]float64{1, nan, 0, zero, 3}, 9)
	dst := make([]float64, len(a))
	for _, s := range Sets() {
		for _, f := range []Binary{s.Float64.Max, s.Float64.Min} {
			f(raw(dst), raw(a), raw(b))
			for i := range dst[:40] {
				if i%5 < 4 && math.Float64bits(dst[i]) != math.Float64bits(b[i]) {
					t.Fatalf("%s: of %v and %v came %v, want the right one", s.Level, a[i], b[i], dst[i])
				}
			}
		}
	}
}

func TestKernelsDoNotAllocate(t *testing.T) {
	a, b := make([]byte, 8000), make([]byte, 8000)
	for _, s := range Sets() {
		if n := testing.AllocsPerRun(10, func() { s.Float64.Sum(a, a, b) }); n != 0 {
			t.Errorf("%s: %v allocations per sum", s.Level, n)
		}
	}
}

// A caller's mistake must not read foreign memory.
func TestShorterSourcePanics(t *testing.T) {
	for _, s := range Sets() {
		for _, n := range []int{8, 64, 800} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: a source shorter than dst by one of %d bytes was accepted", s.Level, n)
					}
				}()
				s.Float64.Sum(make([]byte, n), make([]byte, n), make([]byte, n-1))
			}()
		}
	}
}
