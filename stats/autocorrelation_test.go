package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// worth returns effectiveN of samples.
func worth(samples []float64) int { return effectiveN(samples, slices.Sorted(slices.Values(samples))) }

// The autocorrelation of the indicator of a Gaussian process with correlation phi^k is 2/pi
// asin(phi^k) (Sheppard 1899). The estimate is at least the exact sum.
func TestEffectiveNOfAnAutoregression(t *testing.T) {
	for _, phi := range []float64{0, 0.5, 0.9, 0.99} {
		tau := 1.0
		for k := 1; k < 5000; k++ {
			tau += 2 * 2 / math.Pi * math.Asin(math.Pow(phi, float64(k)))
		}
		for _, n := range []int{5000, 100000} { // without and with averaging in blocks
			var times []float64
			for seed := range uint64(5) {
				next := ar1(phi)(rand.New(rand.NewPCG(seed, uint64(n))))
				samples := make([]float64, n)
				for i := range samples {
					samples[i] = next()
				}
				times = append(times, float64(n)/float64(worth(samples)))
			}
			got := Median(times)
			t.Logf("phi %.2f n=%d: autocorrelation time %.2f, exact %.2f", phi, n, got, tau)
			if got < tau || got > 2*tau {
				t.Errorf("phi %v n=%d: autocorrelation time %v, want one to two times %v", phi, n, got, tau)
			}
		}
	}
}

func TestEffectiveNOfAFlip(t *testing.T) {
	// Half near, half far, as after one migration of a virtual CPU: any number of samples contains
	// little information about the median.
	samples := make([]float64, 10000)
	for i := range samples {
		samples[i] = 30 + 130*float64(i/5000) + float64(i%7)
	}
	if n := worth(samples); n > 10 {
		t.Errorf("10000 samples with one flip are worth %d", n)
	}
	if s := Summarize(samples); s.Confidence > 0 {
		t.Errorf("it has an interval: %+v", s)
	}
}

func TestEffectiveNOfFewAndOfConstants(t *testing.T) {
	for n := range 10 {
		if got := worth(make([]float64, n)); got != n {
			t.Errorf("%d equal values are worth %d", n, got)
		}
	}
}
