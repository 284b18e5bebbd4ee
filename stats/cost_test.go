package stats

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkSummarize100k measures the cost of evaluating a sample, outside of the timed region.
func BenchmarkSummarize100k(b *testing.B) {
	samples := benchmarkSamples()
	for b.Loop() {
		Summarize(samples)
	}
}

func BenchmarkWarmup100k(b *testing.B) {
	samples := benchmarkSamples()
	for b.Loop() {
		Warmup(samples)
	}
}

func benchmarkSamples() []float64 {
	next := ar1(0.5)(rand.New(rand.NewPCG(1, 1)))
	samples := make([]float64, 100_000)
	for i := range samples {
		samples[i] = next()
	}
	return samples
}
