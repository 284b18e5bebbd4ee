package stats

import (
	"math"
	"strings"
	"testing"

	"gobench/internal/allocs"
)

func TestRecorderKeepsExactlyUpToTheLimit(t *testing.T) {
	r := NewRecorder(4)
	for i := range int64(4) {
		r.Add(1000*i, 10+i)
	}
	if !r.Exact() || r.Sampling() != "exact" || r.N() != 4 || r.Starts()[3] != 3000 || r.Times()[3] != 13 {
		t.Errorf("%+v", r)
	}
	r.Add(9, 9)
	if r.Exact() || r.Sampling() != "hdr" || r.N() != 5 || len(r.Times()) != 4 {
		t.Errorf("after one more: %s, %d events", r.Sampling(), r.N())
	}
	r.Reset()
	if !r.Exact() || r.N() != 0 || r.Summary(0).N != 0 {
		t.Error("events are left after Reset")
	}
}

// Events of two recorders count as those of one, whichever of them has a histogram.
func TestRecordersAreMerged(t *testing.T) {
	for _, c := range []struct{ first, second int }{{0, 3}, {2, 1}, {2, 2}, {3, 4}, {6, 1}, {1, 6}, {6, 7}} {
		first, second, both := NewRecorder(4), NewRecorder(4), NewRecorder(4)
		for i := range c.first + c.second {
			r := first
			if i >= c.first {
				r = second
			}
			for _, r := range []*Recorder{r, both} {
				r.Add(int64(i), int64(10+i))
			}
		}
		first.Merge(second)
		got, want := first.Summary(0), both.Summary(0)
		if got.N != want.N || got.Mean != want.Mean || got.Min != want.Min || got.Max != want.Max || got.P50 != want.P50 || first.Sampling() != both.Sampling() {
			t.Errorf("%+v: %s %+v, want %s %+v", c, first.Sampling(), got, both.Sampling(), want)
		}
	}
}

func TestRecorderSummaryDropsTheWarmup(t *testing.T) {
	r := NewRecorder(1000)
	for range 10 {
		r.Add(0, 1e9)
	}
	for i := range int64(100) {
		r.Add(0, 100+i%2)
	}
	s := r.Summary(10)
	if s.N != 100 || s.Max != 101e-9 || s.P50 != 100.5e-9 {
		t.Errorf("%+v", s)
	}
	if s := r.Summary(1 << 30); s.N != 0 {
		t.Errorf("dropping all leaves %+v", s)
	}
}

// Beyond the limit every statistic covers all events, to three digits. The interval also
// depends on the autocorrelation of the part kept exactly.
func TestRecorderBeyondTheLimit(t *testing.T) {
	const n = 100000
	exact, both := NewRecorder(n), NewRecorder(1000)
	for i := range int64(n) {
		v := 1000 + (i*7919)%n
		exact.Add(i, v)
		both.Add(i, v)
	}
	want, got := exact.Summary(10), both.Summary(10)
	if want.N != n-10 || got.N != want.N {
		t.Errorf("n is %d and %d, want %d", want.N, got.N, n-10)
	}
	for _, x := range []struct {
		name      string
		want, got float64
		within    float64
	}{
		{"min", want.Min, got.Min, 0.002}, {"median", want.P50, got.P50, 0.002}, {"p90", want.P90, got.P90, 0.002}, {"p99", want.P99, got.P99, 0.002},
		{"p999", want.P999, got.P999, 0.002}, {"max", want.Max, got.Max, 0.002}, {"lo", want.Lo, got.Lo, 0.01}, {"hi", want.Hi, got.Hi, 0.01},
	} {
		if math.Abs(x.got-x.want) > x.within*x.want {
			t.Errorf("%s is %v, want %v within %v", x.name, x.got, x.want, x.within)
		}
	}
	if !strings.Contains(strings.Join(got.Warnings, ";"), "histogram of 3 digits") {
		t.Errorf("no warning about the histogram: %q", got.Warnings)
	}
}

// The events kept exactly may be too few for an interval, all of them are not: there is no warning.
func TestRecorderWithAnIntervalOfAllEvents(t *testing.T) {
	r := NewRecorder(4)
	for i := range int64(1000) {
		r.Add(i, 100+(i*7919)%100)
	}
	if s := r.Summary(0); s.Lo == 0 || strings.Contains(strings.Join(s.Warnings, ";"), "no confidence interval") {
		t.Errorf("lo %v, %q", s.Lo, s.Warnings)
	}
}

func TestRecorderHistogramHasBounds(t *testing.T) {
	r := NewRecorder(0)
	for _, v := range []int64{-5, 0, 1, 100, math.MaxInt64} {
		r.Add(0, v)
	}
	s := r.Summary(0)
	if s.N != 5 || s.Min != 1e-9 || s.Max < 3600 || s.Max > 3610 {
		t.Errorf("%+v", s)
	}
}

func TestRecorderAddDoesNotAllocate(t *testing.T) {
	r := NewRecorder(100)
	if n := allocs.Count(1000, func() { r.Add(1, 2) }); n != 0 { // exact, then beyond
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecorderAddExact(b *testing.B) {
	r := NewRecorder(1 << 16)
	var i int64
	for b.Loop() {
		if r.N() == 1<<16 {
			r.Reset()
		}
		r.Add(i, 100+i&1023)
		i++
	}
}

func BenchmarkRecorderAddHistogram(b *testing.B) {
	r := NewRecorder(0)
	var i int64
	for b.Loop() {
		r.Add(i, 100+i&1023)
		i++
	}
}
