package bench_test

import (
	"math"
	"strings"
	"testing"

	"gobench/bench"
)

func TestStopsAsSoonAsPrecise(t *testing.T) {
	p := run(t, slow(2), echoes(100)).Points[0]
	if p.Stopped != "precise" || p.Sampling != "exact" || len(p.Warnings) != 0 {
		t.Errorf("stopped %q, sampling %q, warnings %q", p.Stopped, p.Sampling, p.Warnings)
	}
	v := p.Metrics["rtt_s"]
	if v.N < 30 || int64(v.N) != p.Iterations || math.Abs(v.Median-2.6e-6) > 1e-12 || v.Lo != v.Hi {
		t.Errorf("%+v, %d iterations", v, p.Iterations)
	}
}

func TestGoesOnForTheLeastTime(t *testing.T) {
	plan := echoes(100)
	plan.Stop = bench.Stop{MinTime: 50 * millisecond}
	p := run(t, slow(2), plan).Points[0]
	if took := float64(p.Iterations) * 2.6e-6; took < 0.04 || took > 0.07 {
		t.Errorf("%d samples are %.0f ms, asked for 50", p.Iterations, took*1e3)
	}
}

func TestStopsAtTheLimit(t *testing.T) {
	plan := echoes(100)
	plan.Stop = bench.Stop{MinTime: 100 * millisecond, MaxSamples: 1000}
	p := run(t, slow(2), plan).Points[0]
	if p.Stopped != "limit" || p.Iterations < 950 || p.Iterations > 1000 {
		t.Errorf("stopped %q after %d", p.Stopped, p.Iterations)
	}
}

// Times that are either short or long, one as often as the other: the median
// is never known.
func TestStopsAtTheBudgetAndSaysWhatWasReached(t *testing.T) {
	net := slow(2)
	net.Delay = func(src, _ int, i int64) int64 {
		if src == 0 && i*0x9E3779B9>>16&1 == 1 {
			return 3000
		}
		return 0
	}
	plan := echoes(100)
	plan.Stop = bench.Stop{MinTime: -1, Budget: 20 * millisecond, Precision: 0.01}
	p := run(t, net, plan).Points[0]
	if p.Stopped != "budget" {
		t.Errorf("stopped %q", p.Stopped)
	}
	all := strings.Join(p.Warnings, "\n")
	if !strings.Contains(all, "precision not reached") || !strings.Contains(all, "asked for 1 %") {
		t.Errorf("warnings: %s", all)
	}
	if p.Duration < 0.02 || p.Duration > 0.04 {
		t.Errorf("a budget of 20 ms took %.1f ms", p.Duration*1e3)
	}
}

func TestFewSlowEventsAreStillAPoint(t *testing.T) {
	net := slow(2)
	net.Latency = 50e6 // a round trip takes 100 ms
	p := run(t, net, echoes(8)).Points[0]
	if p.Stopped != "budget" || p.Iterations < 1 || p.Iterations > 10 {
		t.Errorf("stopped %q after %d", p.Stopped, p.Iterations)
	}
	if v := p.Metrics["rtt_s"]; math.Abs(v.Median-0.1) > 1e-3 {
		t.Errorf("%+v", v)
	}
}

func TestWarmUpIsDropped(t *testing.T) {
	net := slow(2)
	const cold = 3000
	net.Delay = func(src, _ int, i int64) int64 { return max(0, cold-i) }
	plan := echoes(8)
	plan.Stop.Budget = second
	p := run(t, net, plan).Points[0]
	if p.WarmupDropped < cold/4 {
		t.Errorf("%d samples dropped of about %d that were slow", p.WarmupDropped, cold)
	}
	if v := p.Metrics["rtt_s"]; math.Abs(v.Median-2.416e-6) > 1e-10 {
		t.Errorf("median %g of the settled times, want 2.416e-6", v.Median)
	}
}

func TestDearClocksMakeBatches(t *testing.T) {
	net := slow(2)
	net.ClockCost = 500 // a round trip of 2.4 us: 20 %
	p := run(t, net, echoes(0)).Points[0]
	if p.Batched != 8 {
		t.Errorf("batched=%d, want 8: 500 ns are 5 %% of 10 us", p.Batched)
	}
	v := p.Metrics["rtt_s"]
	if err := v.Median/2.4e-6 - 1; err < 0 || err > 0.05 {
		t.Errorf("the clock falsifies the result by %.1f %%", 100*err)
	}
	if v.P50 != 0 || v.P99 != 0 || v.Max != 0 {
		t.Errorf("batches have percentiles: %+v", v)
	}
	if p.Iterations != int64(v.N)*8 {
		t.Errorf("%d iterations in %d batches of 8", p.Iterations, v.N)
	}
	if p.ClockCost != 500e-9 {
		t.Errorf("clock cost %g", p.ClockCost)
	}
}

func TestCoarseClocksMakeBatches(t *testing.T) {
	net := slow(2)
	net.Resolution = 1000
	p := run(t, net, echoes(0)).Points[0]
	if p.Batched != 8 { // 8 x 2.4 us is more than 10 us
		t.Errorf("batched=%d", p.Batched)
	}
	if v := p.Metrics["rtt_s"]; math.Abs(v.Median/2.4e-6-1) > 0.06 {
		t.Errorf("%+v", v)
	}
}

// The pair becomes faster after the batches were chosen: the clock then takes
// more of a sample than it may, and the point says so.
func TestDearClockIsReported(t *testing.T) {
	net := slow(2)
	net.ClockCost = 80 // 3.3 % of 2.4 us
	net.Overhead, net.Latency = 0, 0
	net.Delay = func(src, _ int, i int64) int64 {
		if i < 3000 {
			return 1200
		}
		return 100
	}
	plan := echoes(0)
	plan.Stop = bench.Stop{MinTime: 100 * millisecond}
	p := run(t, net, plan).Points[0]
	if !strings.Contains(strings.Join(p.Warnings, "\n"), "reading the clock takes 29 % of a sample") {
		t.Errorf("batched=%d, warnings %q", p.Batched, p.Warnings)
	}
}
