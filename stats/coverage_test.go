package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulations returns the number of simulated samples of size n: from least to most, fewer for
// larger samples and under the race detector. The tolerances of the tests are for these numbers.
func simulations(n, smallest, largest int) int {
	return max(smallest/slowdown, min(largest, 300_000/slowdown/n))
}

// coverage returns the share of intervals of simulated samples that hold the true median,
// the share of samples that have an interval, and the mean ratio of effective to real n.
func coverage(runs, n int, median float64, draw func(r *rand.Rand) func() float64) (share, printed, effective float64) {
	hits, ratio := 0, 0.0
	for run := range runs {
		next := draw(rand.New(rand.NewPCG(uint64(run), 7)))
		samples := make([]float64, n)
		for i := range samples {
			samples[i] = next()
		}
		s := Summarize(samples)
		if s.Confidence > 0 {
			printed++
			if s.Lo <= median && median <= s.Hi {
				hits++
			}
		}
		ratio += float64(s.EffectiveN) / float64(n)
	}
	return float64(hits) / printed, printed / float64(runs), ratio / float64(runs)
}

// ar1 draws from exp(y), where y is an autoregressive process of order one with parameter phi and
// stationary variance 1. Its median is 1.
func ar1(phi float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		y := r.NormFloat64()
		return func() float64 {
			y = phi*y + math.Sqrt(1-phi*phi)*r.NormFloat64()
			return math.Exp(y)
		}
	}
}

func TestIntervalHoldsTheMedian(t *testing.T) {
	t.Parallel()
	normal := func(r *rand.Rand) func() float64 { return r.NormFloat64 }
	exponential := func(r *rand.Rand) func() float64 { return r.ExpFloat64 }
	cauchy := func(r *rand.Rand) func() float64 {
		return func() float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) }
	}
	for _, c := range []struct {
		name   string
		n      int
		median float64
		draw   func(r *rand.Rand) func() float64
		lo, hi float64 // allowed share
	}{
		{"normal", 30, 0, normal, 0.94, 0.99},
		{"normal", 300, 0, normal, 0.94, 0.98},
		{"exponential", 101, math.Ln2, exponential, 0.94, 0.99},
		{"cauchy", 1000, 0, cauchy, 0.94, 0.98},
		{"ar1 0.5", 153, 1, ar1(0.5), 0.93, 0.99},
		{"ar1 0.5", 1000, 1, ar1(0.5), 0.93, 0.99},
		{"ar1 0.9", 1000, 1, ar1(0.9), 0.93, 1},
		{"ar1 0.9", 20000, 1, ar1(0.9), 0.93, 1},
		{"ar1 -0.5", 300, 1, ar1(-0.5), 0.94, 1},
	} {
		runs := simulations(c.n, 300, 1000)
		share, printed, effective := coverage(runs, c.n, c.median, c.draw)
		t.Logf("%-12s n=%-6d covered %.3f  printed %.3f  n_eff/n %.3f", c.name, c.n, share, printed, effective)
		if c.n > 30 && printed < 0.93 {
			t.Errorf("%s n=%d: only %.3f of samples have an interval", c.name, c.n, printed)
		}
		// The allowed shares are for 300 simulations and more.
		slack := max(0, 3*math.Sqrt(0.05/float64(runs))-3*math.Sqrt(0.05/300))
		if share < c.lo-slack || share > c.hi+slack {
			t.Errorf("%s n=%d: the interval holds the median in %.3f of samples, want %.2f to %.2f", c.name, c.n, share, c.lo, c.hi)
		}
	}
}
