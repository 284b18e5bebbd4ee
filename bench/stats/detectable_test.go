package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// found simulates gates of m cells, one of which has changed by ratio, and returns how
// often the gate finds that cell.
func found(runs int, spread, ratio float64, n1, n2, m int, alpha float64) float64 {
	hits := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 31))
		draw := func(n int, median float64) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = median * math.Exp(spread*r.NormFloat64())
			}
			return x
		}
		p := make([]float64, m)
		for i := range p {
			median := 1.0
			if i == 0 {
				median = ratio
			}
			p[i] = Compare(draw(n1, 1), draw(n2, median)).P
		}
		if Holm(p)[0] < alpha {
			hits++
		}
	}
	return float64(hits) / float64(runs)
}

func TestDetectableIsWhatAGateFinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spread       float64
		n1, n2, m    int
		alpha, power float64
	}{
		{0.03, 8, 8, 1, 0.05, 0.9}, {0.03, 8, 8, 10, 0.05, 0.9}, {0.1, 6, 9, 5, 0.05, 0.9},
		{0.05, 12, 12, 4, 0.01, 0.8}, {0.03, 5, 5, 1, 0.05, 0.5}, {0.05, 30, 30, 3, 0.05, 0.9},
	} {
		ratio := Detectable(c.spread, c.n1, c.n2, c.m, c.alpha, c.power)
		runs := 1000 / slowdown
		for _, r := range []float64{ratio, 1 / ratio} {
			got := found(runs, c.spread, r, c.n1, c.n2, c.m, c.alpha)
			t.Logf("%+v: a ratio of %.4f is found in %.3f", c, r, got)
			if math.Abs(got-c.power) > 0.03+0.03*(slowdown-1)/3 {
				t.Errorf("%+v: a ratio of %v is found in %.3f of the gates", c, r, got)
			}
		}
	}
}

func TestDetectableOfTooFew(t *testing.T) {
	for _, c := range []struct{ n1, n2, m int }{{3, 3, 1}, {0, 8, 1}, {4, 4, 3}, {8, 8, 0}} {
		if got := Detectable(0.01, c.n1, c.n2, c.m, 0.05, 0.9); !math.IsInf(got, 1) {
			t.Errorf("%+v: a ratio of %v is found, want none", c, got)
		}
	}
	if got := Detectable(0, 8, 8, 1, 0.05, 0.9); got != 1 {
		t.Errorf("launches that do not differ find a ratio of %v, want any", got)
	}
}

// More launches and less spread detect smaller differences, more cells only larger ones; the
// formula continues where simulation ends.
func TestDetectableIsMonotone(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{5, 6, 8, 12, 16, 20, 21, 30, 100, 1000} {
		got := Detectable(0.05, n, n, 1, 0.05, 0.9)
		if !(got > 1 && got < last) {
			t.Errorf("%d launches find %v, fewer find %v", n, got, last)
		}
		if last < 2 && math.Log(last)/math.Log(got) > 4 {
			t.Errorf("%d launches find %v, but fewer only %v", n, got, last)
		}
		last = got
	}
	if a, b := Detectable(0.05, 10, 10, 1, 0.05, 0.9), Detectable(0.05, 10, 10, 20, 0.05, 0.9); a >= b {
		t.Errorf("one cell: %v, twenty: %v", a, b)
	}
}

func TestLaunchesForIsTheInverse(t *testing.T) {
	for _, c := range []struct {
		spread, ratio float64
		m             int
	}{{0.03, 1.05, 1}, {0.03, 1.05, 20}, {0.03, 1 / 1.05, 20}, {0.1, 1.02, 5}, {0.001, 2, 100}, {0, 1.01, 1}} {
		n := LaunchesFor(c.spread, c.ratio, c.m, 0.05, 0.9)
		ratio := max(c.ratio, 1/c.ratio) * (1 + 1e-12)
		if n < 1 || Detectable(c.spread, n, n, c.m, 0.05, 0.9) > ratio || Detectable(c.spread, n-1, n-1, c.m, 0.05, 0.9) <= ratio {
			t.Errorf("%+v: %d launches", c, n)
		}
		t.Logf("%+v: %d launches each", c, n)
	}
	for _, ratio := range []float64{1, 0, math.Inf(1), math.NaN()} {
		if n := LaunchesFor(0.03, ratio, 1, 0.05, 0.9); n != 0 {
			t.Errorf("a ratio of %v needs %d launches, want none", ratio, n)
		}
	}
}

func TestSpread(t *testing.T) {
	e := math.Exp
	for _, c := range []struct {
		sides [][]float64
		want  float64
	}{
		{nil, 0}, {[][]float64{{1}}, 0}, {[][]float64{{1, 0}}, 0},
		{[][]float64{{e(1), e(3)}}, math.Sqrt2},
		{[][]float64{{e(1), e(3)}, {e(11), e(13), e(15)}}, math.Sqrt(10.0 / 3)},
	} {
		if got := Spread(c.sides...); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.sides, got, c.want)
		}
	}
}
