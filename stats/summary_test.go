package stats

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shuffled returns 1..n in a fixed order without correlation.
func shuffled(n int) []float64 {
	samples := make([]float64, n)
	at := 0
	for i := range n {
		at = (at + 7919) % n // a prime that divides none of the n in use
		samples[at] = float64((i*6151)%n + 1)
	}
	return samples
}

func TestSummaryOfKnownRanks(t *testing.T) {
	s := Summarize(shuffled(1000))
	s.EffectiveN = 0 // tested separately
	s.Lo, s.Hi, s.Confidence = 0, 0, 0
	want := Summary{N: 1000, Min: 1, P50: 500.5, P90: 900, P99: 990, P999: 999, Max: 1000, Mean: 500.5}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
}

func TestSummaryOfSmallSamples(t *testing.T) {
	for _, c := range []struct {
		n              int
		p90, p99, p999 bool
		interval       bool
	}{
		{1, false, false, false, false}, {2, false, false, false, false}, {5, false, false, false, false},
		{10, true, false, false, false}, {19, true, false, false, false}, {20, true, false, false, true},
		{100, true, true, false, true}, {1000, true, true, true, true},
	} {
		samples := make([]float64, c.n)
		for i := range samples {
			samples[i] = float64(1 + i%2) // anticorrelated: the effective n is n
		}
		s := Summarize(samples)
		if s.N != c.n || (s.P90 > 0) != c.p90 || (s.P99 > 0) != c.p99 || (s.P999 > 0) != c.p999 || (s.Confidence > 0) != c.interval {
			t.Errorf("n=%d: %+v", c.n, s)
		}
		if !c.interval && !strings.Contains(strings.Join(s.Warnings, ";"), "no confidence interval") {
			t.Errorf("n=%d: no warning about the missing interval: %q", c.n, s.Warnings)
		}
	}
}

func TestSummaryOfAConstant(t *testing.T) {
	s := Summarize(slices.Repeat([]float64{3}, 100))
	want := Summary{N: 100, EffectiveN: 100, Mean: 3, Min: 3, P50: 3, P90: 3, P99: 3, Max: 3, Lo: 3, Hi: 3}
	if s.Confidence < Level {
		t.Errorf("confidence %v", s.Confidence)
	}
	s.Confidence = 0
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
}

func TestSummaryOfNonFiniteValues(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := Summarize([]float64{1, 2, bad, 3})
		want := Summary{Warnings: []string{"1 of 4 values are not finite numbers: no result"}}
		if d := cmp.Diff(want, s); d != "" {
			t.Error(d)
		}
	}
	if s := Summarize(nil); s.N != 0 || len(s.Warnings) != 1 {
		t.Errorf("no samples: %+v", s)
	}
}

func TestSummaryDoesNotModifyTheSample(t *testing.T) {
	samples := shuffled(1000)
	before := slices.Clone(samples)
	Summarize(samples)
	Warmup(samples)
	if !slices.Equal(before, samples) {
		t.Error("the sample is in another order than before")
	}
}

func TestRateSwapsTheBounds(t *testing.T) {
	s := Summary{P50: 2, Lo: 1, Hi: 4, Confidence: 0.95}
	if r := s.Rate(8); r != (Interval{Median: 4, Lo: 2, Hi: 8}) {
		t.Errorf("%+v", r)
	}
	if r := (Summary{}).Rate(8); r != (Interval{}) {
		t.Errorf("no time gives the rate %+v", r)
	}
	half := s.Scale(0.5)
	if half.P50 != 1 || half.Lo != 0.5 || half.Hi != 2 || s.P50 != 2 {
		t.Errorf("half is %+v, of %+v", half, s)
	}
}
