package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// series returns n values 100 * level(i) with log-normal noise of 3 %, and one spike of factor 20
// in a hundred, as caused by scheduling.
func series(seed uint64, n int, level func(i int) float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 3))
	samples := make([]float64, n)
	for i := range samples {
		samples[i] = 100 * level(i) * math.Exp(0.03*r.NormFloat64())
		if r.IntN(100) == 0 {
			samples[i] *= 20
		}
	}
	return samples
}

func TestWarmup(t *testing.T) {
	t.Parallel()
	steady := func(int) float64 { return 1 }
	slow := func(first int, factor float64) func(int) float64 {
		return func(i int) float64 {
			if i < first {
				return factor
			}
			return 1
		}
	}
	for _, c := range []struct {
		name     string
		n        int
		level    func(i int) float64
		settled  bool
		lo, hi   int     // where the drop should be
		required float64 // share of runs in which it is so
	}{
		{"steady", 68, steady, true, 5, 5, 0.97},
		{"steady", 1000, steady, true, 5, 5, 0.97},
		{"steady", 100000, steady, true, 5, 5, 0.97},
		{"10 slow ones", 68, slow(10, 1.5), true, 9, 14, 0.94},
		{"20 slow ones", 102, slow(20, 1.2), true, 19, 28, 0.95},
		{"100 slow ones", 1000, slow(100, 1.2), true, 99, 130, 0.95},
		{"5000 slow ones", 100000, slow(5000, 1.1), true, 4900, 5500, 0.95},
		{"exponential decay", 2000, func(i int) float64 { return 1 + math.Exp(-float64(i)/50) }, true, 80, 400, 0.95},
		{"still slow", 68, slow(50, 1.5), false, 5, 68, 0.95},
		{"still slow", 1000, slow(700, 1.1), false, 5, 1000, 0.99},
		{"drift", 1000, func(i int) float64 { return 1 + float64(i)/2000 }, false, 5, 1000, 0.99},
		{"a change of half a percent is ignored", 100000, slow(70000, 1.005), true, 5, 5, 0.97},
	} {
		runs, good := simulations(c.n, 16, 200), 0
		var drop int
		var settled bool
		for seed := range uint64(runs) {
			drop, settled = Warmup(series(seed, c.n, c.level))
			if settled == c.settled && c.lo <= drop && drop <= c.hi {
				good++
			}
		}
		share := float64(good) / float64(runs)
		t.Logf("%s n=%d: %.3f, last drop %d settled %v", c.name, c.n, share, drop, settled)
		if share < c.required {
			t.Errorf("%s n=%d: drop in %d..%d and settled=%v in %.3f of runs, want %.2f; last: %d, %v",
				c.name, c.n, c.lo, c.hi, c.settled, share, c.required, drop, settled)
		}
	}
}

func TestWarmupNeedsAMinimum(t *testing.T) {
	for n := range MinSamples + warmupMin {
		if drop, settled := Warmup(make([]float64, n)); drop != 0 || settled {
			t.Errorf("%d samples: drop %d, settled %v; too few to say", n, drop, settled)
		}
	}
	constant := make([]float64, MinSamples+warmupMin)
	for i := range constant {
		constant[i] = 7
	}
	if drop, settled := Warmup(constant); drop != warmupMin || !settled {
		t.Errorf("a constant: drop %d, settled %v; want %d, true", drop, settled, warmupMin)
	}
	constant[12] = math.NaN()
	if _, settled := Warmup(constant); settled {
		t.Error("a series with NaN is called settled")
	}
}

// Noise that is correlated but steady is no warm-up.
func TestWarmupOfCorrelatedNoise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phi     float64
		n       int
		settled float64 // share of runs that settle immediately
	}{
		{0.5, 68, 0.95}, {0.5, 1000, 0.97}, {0.9, 345, 0.85}, {0.9, 1000, 0.95}, {0.9, 10000, 0.97},
	} {
		runs := simulations(c.n, 80, 200)
		settled, waste := 0, 0
		for run := range uint64(runs) {
			next := ar1(c.phi)(rand.New(rand.NewPCG(run, 9)))
			samples := make([]float64, c.n)
			for i := range samples {
				samples[i] = 100 * math.Pow(next(), 0.05)
			}
			drop, ok := Warmup(samples)
			if ok {
				settled++
				waste += drop
			}
		}
		share, dropped := float64(settled)/float64(runs), float64(waste)/float64(runs*c.n)
		t.Logf("phi %.1f n=%d: settled %.3f, dropped %.3f", c.phi, c.n, share, dropped)
		if share < c.settled || dropped > 0.15 {
			t.Errorf("phi %.1f n=%d: settled in %.3f of runs, want %.2f; %.2f of the samples dropped", c.phi, c.n, share, c.settled, dropped)
		}
	}
}
