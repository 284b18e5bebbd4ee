package simd

import (
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"
)

func TestSetsAreInOrder(t *testing.T) {
	known := []string{"none", "avx2", "avx512"}
	if runtime.GOARCH == "arm64" {
		known = []string{"none", "neon"}
	}
	for i, s := range Sets() {
		if s.Level != known[i] {
			t.Errorf("set %d is called %q, want %q", i, s.Level, known[i])
		}
	}
	if err := Check(); err != nil || Level() != Best().Level {
		t.Errorf("level is %q, the best set %q, %v", Level(), Best().Level, err)
	}
}

// A level that is asked for is had, or there is an error that says which there are.
func TestALevelIsChosen(t *testing.T) {
	none, avx2, avx512 := &Set{Level: "none"}, &Set{Level: "avx2"}, &Set{Level: "avx512"}
	for _, c := range []struct {
		have  []*Set
		level string
		want  *Set
		err   string
	}{
		{[]*Set{none, avx2, avx512}, "", avx512, ""},
		{[]*Set{none, avx2, avx512}, "avx2", avx2, ""},
		{[]*Set{none, avx2, avx512}, "none", none, ""},
		{[]*Set{none, avx2}, "avx512", avx2, `GOBENCH_SIMD is "avx512", which is not available with this build on this machine: want none, avx2`},
		{[]*Set{none}, "sse", none, `GOBENCH_SIMD is "sse", which is unknown: want none`},
	} {
		got, err := choose(c.have, c.level)
		var e *LevelError
		switch {
		case got != c.want:
			t.Errorf("%q of %d sets: %s, want %s", c.level, len(c.have), got.Level, c.want.Level)
		case c.err == "" && err != nil:
			t.Errorf("%q of %d sets: %v", c.level, len(c.have), err)
		case c.err != "" && (!errors.As(err, &e) || err.Error() != c.err):
			t.Errorf("%q of %d sets: error %v, want %s", c.level, len(c.have), err, c.err)
		}
	}
}

// A choice with a bound holds for data up to it, and one without for all other data.
func TestChoicesByTheSizeOfData(t *testing.T) {
	if len(all) == 1 || os.Getenv(Variable) != "" {
		t.Skip("the build, the processor or "+Variable+" leaves no choice")
	}
	defer Choose(func(string) string { return "" })
	picks := map[string]string{"solver": all[1].Level, "solver to 1M": "none", "tally": "none"}
	pick := func(part string) string { return picks[part] }
	if !Choose(pick) || Choose(pick) {
		t.Error("a choice changes nothing, or changes again")
	}
	for bytes, want := range map[int]*Set{0: all[0], 1 << 20: all[0], 1<<20 + 1: all[1], 9 << 20: all[1], math.MaxInt: all[1]} {
		got := BestFor(bytes)
		if got.only([]string{"solver"}) != want.only([]string{"solver"}) || got.only([]string{"tally"}) != all[0].only([]string{"tally"}) {
			t.Errorf("for %d bytes the solver is not that of %s, or the tally not plain", bytes, want.Level)
		}
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
