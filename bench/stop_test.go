package bench_test

import (
	"math"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/record"
)

// precisely fails the test unless a metric has the theoretical value.
func precisely(t *testing.T, p record.Point, metric string, want float64) {
	t.Helper()
	v, ok := p.Metrics.Lookup(metric)
	if !ok || math.Abs(v.Median-want) > 1e-9*want {
		t.Errorf("%s with %d ranks, %d B: %s is %.10g, want %.10g", p.Bench, p.Ranks, p.Size, metric, v.Median, want)
	}
}

// A case takes its budget, however narrow the interval within the launch is.
func TestACellTakesItsBudget(t *testing.T) {
	for _, ms := range []float64{0, 60} { // 0 means 30 ms
		plan := echoes(100)
		plan.Stop.Budget = millisecond * 60
		want := ms
		if ms == 0 {
			plan.Stop.Budget, want = 0, 30
		}
		p := run(t, slow(2), plan).Points[0]
		if p.Stopped != "budget" || p.Sampling != "exact" || len(p.Warnings) != 0 {
			t.Errorf("stopped %q, sampling %q, warnings %q", p.Stopped, p.Sampling, p.Warnings)
		}
		precisely(t, p, "rtt_s", 2.6e-6)
		if v := p.Metrics.Get("rtt_s"); int64(v.N) != p.Iterations {
			t.Errorf("%d samples, %d iterations", v.N, p.Iterations)
		}
		if took := float64(p.Iterations) * 2.6e-3; took < 0.8*want || took > 1.05*want {
			t.Errorf("%d samples are %.1f ms, the budget was %g ms", p.Iterations, took, want)
		}
	}
}

// Exactly the requested number of samples is taken, also if the warm-up takes more.
func TestStopsAtTheLimit(t *testing.T) {
	for _, limit := range []int{1, 7, 30, 1000} {
		for _, warmUp := range []int{0, 100} {
			plan := echoes(100)
			plan.Stop = bench.Stop{Budget: second, MaxSamples: limit, WarmUp: warmUp}
			p := run(t, slow(2), plan).Points[0]
			if p.Stopped != "limit" || p.Iterations != int64(limit) {
				t.Errorf("warm-up %d: stopped %q after %d of %d", warmUp, p.Stopped, p.Iterations, limit)
			}
		}
	}
}

// Requested warm-up events are not counted as samples, and the next event is.
func TestRequestedWarmUp(t *testing.T) {
	for _, n := range []int{1, 50, 3000} {
		for _, batch := range []int{1, 16} {
			net := slow(2)
			seen := int64(0) // messages of timed events, from rank 0
			net.Delay = func(src, _ int, i int64) int64 {
				if src == 0 {
					seen = i
				}
				return 0
			}
			plan := echoes(8)
			plan.Batch, plan.Stop = batch, bench.Stop{Budget: second, WarmUp: n, MaxSamples: 200}
			p := run(t, net, plan).Points[0]
			whole := (n + batch - 1) / batch * batch
			if p.WarmupDropped != int64(whole+batch) { // the first sample is the trial
				t.Errorf("%d events in batches of %d: %d dropped, want %d and one batch", n, batch, p.WarmupDropped, whole)
			}
			if seen < int64(n)+p.Iterations {
				t.Errorf("%d messages for %d events of warm-up and %d iterations", seen, n, p.Iterations)
			}
		}
	}
}

func TestWarmUpThatIsTooLongForTheBudget(t *testing.T) {
	plan := echoes(8)
	plan.Stop = bench.Stop{Budget: 20 * millisecond, WarmUp: 1 << 20}
	p := run(t, slow(2), plan).Points[0]
	if w := strings.Join(p.Warnings, "\n"); !strings.Contains(w, "of 1048576 events") || strings.Contains(w, "settled") {
		t.Errorf("warnings %q", w)
	}
	precisely(t, p, "rtt_s", 2.416e-6)
}

// If the warm-up takes the whole budget, a block is timed all the same.
func TestWarmUpThatTakesTheBudget(t *testing.T) {
	net := slow(2)
	net.Latency = 1e6 // 30 samples take three times the budget
	plan := echoes(8)
	plan.Stop = bench.Stop{Budget: 20 * millisecond, WarmUp: 100}
	p := run(t, net, plan).Points[0]
	if w := strings.Join(p.Warnings, "\n"); !strings.Contains(w, "of 100 events") || p.Iterations < 1 {
		t.Errorf("%d iterations, warnings %q", p.Iterations, w)
	}
	precisely(t, p, "rtt_s", 2.000416e-3)
}

func TestFewSlowEventsAreStillAPoint(t *testing.T) {
	net := slow(2)
	net.Latency = 50e6 // a round trip takes 100 ms
	p := run(t, net, echoes(8)).Points[0]
	if p.Stopped != "budget" || p.Iterations < 1 || p.Iterations > 10 {
		t.Errorf("stopped %q after %d", p.Stopped, p.Iterations)
	}
	if v := p.Metrics.Get("rtt_s"); math.Abs(v.Median-0.1) > 1e-3 {
		t.Errorf("%+v", v)
	}
}

func TestWarmUpIsDropped(t *testing.T) {
	net := slow(2)
	const cold = 3000
	net.Delay = func(src, _ int, i int64) int64 { return max(0, cold-i) }
	plan := echoes(8)
	plan.Stop.Budget = 100 * millisecond
	p := run(t, net, plan).Points[0]
	if p.WarmupDropped < cold/4 {
		t.Errorf("%d samples dropped of about %d that were slow", p.WarmupDropped, cold)
	}
	precisely(t, p, "rtt_s", 2.416e-6)
}

// The cost of the clock is subtracted from every number, alone or in batches, of patterns or of
// collectives.
func TestClockCostIsSubtracted(t *testing.T) {
	for _, cost := range []int64{0, 1, 35, 500, 5000} {
		for _, batch := range []int{0, 2, 16} {
			for _, ranks := range []int{2, 4} {
				net := slow(ranks)
				net.ClockCost = cost
				plan := echoes(0)
				plan.Batch = batch
				p := run(t, net, plan).Points[0]
				precisely(t, p, "rtt_s", 2.4e-6)
				if p.Batched != batch {
					t.Errorf("batched=%d, want %d", p.Batched, batch)
				}
				v := p.Metrics.Get("rtt_s")
				if p.Iterations != int64(v.N)*int64(max(1, batch)) {
					t.Errorf("%d iterations in %d batches of %d", p.Iterations, v.N, batch)
				}
				if bare := v.P50 == 0 && v.P99 == 0 && v.Max == 0; bare != (batch > 0) {
					t.Errorf("batch %d: percentiles %+v", batch, v)
				}
				if math.Abs(p.ClockCost-float64(cost)/1e9) > 1e-15 || !strings.Contains(p.Method, "clock cost subtracted") {
					t.Errorf("clock cost %g, method %q", p.ClockCost, p.Method)
				}
			}
		}
	}
}

// The time of an event that is shorter than the clock's cost is a nanosecond, not zero.
func TestNoTimeIsZero(t *testing.T) {
	net := slow(2)
	net.Latency, net.PerByte, net.Overhead, net.ClockCost = 0, 0, 0, 100
	precisely(t, run(t, net, echoes(0)).Points[0], "rtt_s", 1e-9)
}

// If a clock reading takes much of a sample of several events, the point has a warning.
func TestExpensiveClockIsReported(t *testing.T) {
	net := slow(2)
	for cost, want := range map[int64]string{200: "", 1200: "timer overhead is 20 % of a sample"} {
		net.ClockCost = cost
		plan := echoes(0)
		plan.Batch = 2
		got := strings.Join(run(t, net, plan).Points[0].Warnings, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("clock of %d ns: warnings %q, want %q", cost, got, want)
		}
	}
}

// All samples of the simulated network are equal: their interval is as wide as the clock's
// resolution.
func TestIntervalsHaveAFloor(t *testing.T) {
	for _, resolution := range []int64{1, 8, 100} {
		for _, batch := range []int{1, 16} {
			net := slow(2)
			net.Resolution = resolution
			plan := echoes(0)
			plan.Batch = batch
			p := run(t, net, plan).Points[0]
			floor := float64(resolution) / 2 / float64(batch) / 1e9
			v := p.Metrics.Get("rtt_s")
			if math.Abs(p.Floor-floor) > 1e-15 {
				t.Errorf("step %d ns, batch %d: floor %g, want %g", resolution, batch, p.Floor, floor)
			}
			if v.Median-v.Lo < floor*(1-1e-6) || v.Hi-v.Median < floor*(1-1e-6) {
				t.Errorf("step %d ns, batch %d: %g to %g around %g, want %g to each side", resolution, batch, v.Lo, v.Hi, v.Median, floor)
			}
		}
	}
	net := clocked(3)
	net.CostError = 7
	p := run(t, net, collective(bench.StartBarrier, onTime, 8)).Points[0]
	for _, metric := range []string{"global_s", "local_s"} {
		if v := p.Metrics.Get(metric); v.Median-v.Lo < p.Floor*(1-1e-6) || math.Abs(p.Floor-7.5e-9) > 1e-15 {
			t.Errorf("%s: %g to %g around %g, floor %g", metric, v.Lo, v.Hi, v.Median, p.Floor)
		}
	}
}
