package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRatioHoldsTheTrueRatio(t *testing.T) {
	t.Parallel()
	const n, truth = 100, 1.25
	runs := simulations(n, 400, 1000)
	hits := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 5))
		a, b := make([]float64, n), make([]float64, n)
		for i := range n {
			a[i] = math.Exp(0.5 * r.NormFloat64())
			b[i] = truth * math.Exp(0.5*r.NormFloat64())
		}
		ratio := Ratio(Summarize(a).Interval(), Summarize(b).Interval())
		if ratio.Lo <= truth && truth <= ratio.Hi {
			hits++
		}
	}
	share := float64(hits) / float64(runs)
	t.Logf("covered %.3f", share)
	if share < 0.94 || share > 0.99 {
		t.Errorf("the interval holds the true ratio in %.3f of runs", share)
	}
}

func TestRatioOfKnownIntervals(t *testing.T) {
	exact := Interval{Median: 2, Lo: 2, Hi: 2}
	got := Ratio(exact, Interval{Median: 3, Lo: 2.5, Hi: 4})
	if math.Abs(got.Median-1.5) > 1e-12 || math.Abs(got.Lo-1.25) > 1e-12 || math.Abs(got.Hi-2) > 1e-12 {
		t.Errorf("%+v", got)
	}
	if got := Ratio(Interval{Median: 2}, exact); got != (Interval{Median: 1}) {
		t.Errorf("without interval: %+v", got)
	}
	if got := Ratio(Interval{}, exact); got != (Interval{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.04, 0.01, 0.03, 0.005})
	want := []float64{0.06, 0.03, 0.06, 0.02} // 0.005 x 4, 0.01 x 3, 0.03 x 2, then not below
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v, want at most 1", got)
	}
}
