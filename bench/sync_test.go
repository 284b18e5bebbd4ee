package bench_test

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"gobench/bench"
	"gobench/internal/bench/benchtest"
)

// drifting is a network of ranks on different hosts: their clocks are hours apart and differ in
// rate by tens of ppm.
func drifting(ranks int) *benchtest.Net {
	n := clocked(ranks)
	n.Clocks = func(rank int, t int64) int64 {
		return 3_600_000_000_000*int64(rank+1) + t + t*int64(rank)/50_000
	}
	return n
}

// With the clocks of several hosts, the time of an operation is that with one clock, within the
// recorded error.
func TestClocksOfSeveralHosts(t *testing.T) {
	for _, start := range []bench.Start{bench.StartBarrier, bench.StartTime} {
		plan := collective(start, onTime, 100)
		plan.Stop.MaxSamples = 500
		one := run(t, clocked(3), plan).Points[0]
		plan.LocalRanks = 1
		many := run(t, drifting(3), plan).Points[0]
		if one.ClockSync != "shared" || one.ClockError != 0 || many.ClockSync != "hca3" {
			t.Errorf("start %s: clocks %q and %q, error of one clock %g s", start, one.ClockSync, many.ClockSync, one.ClockError)
		}
		if !strings.Contains(many.Method, "(HCA3)") || strings.Contains(one.Method, "HCA3") {
			t.Errorf("start %s: the methods are %q and %q", start, one.Method, many.Method)
		}
		if many.ClockError <= 0 || many.ClockError > 5e-6 {
			t.Errorf("start %s: the clocks may be off by %g s, half of a round trip is 1.1 us", start, many.ClockError)
		}
		if d := math.Abs(many.Metrics.Median("global_s") - one.Metrics.Median("global_s")); d > 2*many.ClockError {
			t.Errorf("start %s: the times differ by %g s, the clocks by %g s", start, d, many.ClockError)
		}
		if many.Invalid > many.Iterations/10 {
			t.Errorf("start %s: %d invalid of %d", start, many.Invalid, many.Iterations)
		}
	}
}

// A point whose time is not much longer than the error of the clocks has a warning, and no other.
func TestCoarseClocksAreMarked(t *testing.T) {
	marked := map[bool]int{}
	plan := collective(bench.StartBarrier, onTime, 8, 1<<20)
	plan.LocalRanks, plan.Stop.MaxSamples = 1, 100
	for _, p := range run(t, drifting(3), plan).Points {
		is := strings.Contains(strings.Join(p.Warnings, "\n"), "the clocks of the hosts are synchronised to ")
		if time := p.Metrics.Median("global_s"); is != (p.ClockError > 0.2*time) {
			t.Errorf("%d B: %g s, clocks synchronised to %g s, warnings %q", p.Size, time, p.ClockError, p.Warnings)
		}
		marked[is]++
	}
	if marked[true] == 0 || marked[false] == 0 {
		t.Errorf("points with and without the warning: %v", marked)
	}
}

// If a clock is stepped while samples are taken, the point has a warning and an error that covers
// the step. With clocks of constant rates, and for the next case, there is no warning.
func TestSteppedClockIsMarked(t *testing.T) {
	for _, step := range []int64{0, 1_000_000} {
		net := drifting(3)
		var events atomic.Int64
		steady := net.Clocks
		net.Clocks = func(rank int, now int64) int64 {
			if rank == 2 && events.Load() > 500 {
				return steady(rank, now) + step
			}
			return steady(rank, now)
		}
		plan := collective(bench.StartBarrier, onTime, 8, 16)
		plan.LocalRanks, plan.Stop.MaxSamples = 1, 500
		for i := range plan.Cases {
			made := plan.Cases[i].Bench.New
			plan.Cases[i].Bench.New = func(env *bench.Env) bench.Op { return counted{made(env), &events} }
		}
		for i, p := range run(t, net, plan).Points {
			marked := strings.Contains(strings.Join(p.Warnings, "\n"), "a clock was stepped or slewed")
			if want := step > 0 && i == 0; marked != want || want && p.ClockError < 0.9e-3 {
				t.Errorf("step of %d ns, case %d: error %g s, warnings %q", step, i, p.ClockError, p.Warnings)
			}
		}
	}
}

// counted counts the events of all ranks.
type counted struct {
	bench.Op
	events *atomic.Int64
}

func (c counted) Do(k int) error {
	c.events.Add(int64(k))
	return c.Op.Do(k)
}

// HCA3 on one host works, too.
func TestSyncIsForced(t *testing.T) {
	plan := collective(bench.StartBarrier, onTime, 8, 16)
	plan.Sync = bench.SyncHCA3
	for _, p := range run(t, clocked(2), plan).Points {
		if p.ClockSync != "hca3" || p.ClockError == 0 {
			t.Errorf("%d B: clock %q, error %g s", p.Size, p.ClockSync, p.ClockError)
		}
	}
}

// A corrupted start or clock reading ends the run with the defect; no rank waits for a wrong time.
func TestSpoiledTimesAreSeen(t *testing.T) {
	for start, sync := range map[bench.Start]bench.Sync{bench.StartTime: bench.SyncShared, bench.StartBarrier: bench.SyncHCA3} {
		net := clocked(3)
		net.Spoil = func(src, dst int, i int64, data []byte) {
			if src == 0 && dst == 1 && len(data) == 24 { // a number
				data[7] ^= 0x40 // of a time: 2^62 ns
			}
		}
		plan := collective(start, onTime, 8)
		plan.Sync = sync
		for rank, err := range benchtest.Run(t.Context(), net.Devices(), plan, &benchtest.Found{}) {
			var wrong *bench.DataError
			if !errors.As(err, &wrong) || !wrong.Control || wrong.Rank != 1 || wrong.Source != 0 {
				t.Errorf("start %s, rank %d: %v", start, rank, err)
			}
		}
	}
}

func TestInvalidPlansAreRefused(t *testing.T) {
	for want, change := range map[string]func(*bench.Plan){
		`start "soon" is unknown`:       func(p *bench.Plan) { p.Start = "soon" },
		`sync "ntp" is unknown`:         func(p *bench.Plan) { p.Sync = "ntp" },
		"several hosts share no clock":  func(p *bench.Plan) { p.LocalRanks, p.Sync = 2, bench.SyncShared },
		`skew "early" is unknown`:       func(p *bench.Plan) { p.Skew.Kind = "early" },
		"only the first of 8 events":    func(p *bench.Plan) { p.Skew, p.Batch = bench.Skew{Kind: bench.SkewLate, By: 1}, 8 },
		"the skew is -1ns, must not be": func(p *bench.Plan) { p.Skew.By = -1 },
		"-1 events cannot be timed":     func(p *bench.Plan) { p.Batch = -1 },
		"the root is rank 3":            func(p *bench.Plan) { p.Cases[0].Root.Rank = 3 },
		`cache "lukewarm" is unknown`:   func(p *bench.Plan) { p.Cases[0].Cache = "lukewarm" },
	} {
		plan := collective(bench.StartBarrier, onTime, 8)
		change(&plan)
		var refused *bench.PlanError
		if err := plan.Check(3); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
