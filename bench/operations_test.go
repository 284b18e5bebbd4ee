package bench_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
)

// together is a collective benchmark: every rank sends to rank 0, which answers all. late returns
// the delay of a rank before an event, in readings of the clock.
func together(late func(rank int) int) bench.Benchmark {
	return bench.Benchmark{
		Name: "together", Pattern: bench.Chain, Metric: "global_s", Scale: 1, Buffers: bench.Fixed(2),
		Collective: &bench.Collective{Bus: func(ranks int) float64 { return 2 * float64(ranks-1) / float64(ranks) }},
		Amount:     func(int, int) int { return 0 },
		Timed:      func(int, int) bool { return true },
		New: func(env *bench.Env) bench.Op {
			o := &togetherOp{ch: env.Channel, late: late}
			o.mine, o.all = env.Alloc(env.Bytes), env.Alloc(env.Bytes)
			return o
		},
	}
}

type togetherOp struct {
	ch        device.Channel
	late      func(int) int
	mine, all []byte
}

func (o *togetherOp) Prepare(iteration uint64, _ bool) {
	s := bench.Stream{Rank: 0}
	if o.ch.Rank() == 0 {
		s.Fill(o.all, iteration)
		return
	}
	s.Spoil(o.all, iteration)
}

func (o *togetherOp) Check(iteration uint64) *bench.DataError {
	if at, want := (bench.Stream{Rank: 0}).Check(o.all, iteration); at >= 0 {
		return &bench.DataError{Size: len(o.all), Offset: at, Want: want, Got: o.all[at]}
	}
	return nil
}

func (o *togetherOp) Do(k int) error {
	rank, ranks := o.ch.Rank(), o.ch.Size()
	for range k {
		for range o.late(rank) {
			o.ch.(interface{ Now() int64 }).Now()
		}
		if rank != 0 {
			if err := o.ch.Send(o.mine[:0], 0, 0, bench.Context); err != nil {
				return err
			}
			if _, err := o.ch.Recv(o.all, 0, 0, bench.Context); err != nil {
				return err
			}
			continue
		}
		for peer := 1; peer < ranks; peer++ {
			if _, err := o.ch.Recv(o.mine[:0], peer, 0, bench.Context); err != nil {
				return err
			}
		}
		for peer := 1; peer < ranks; peer++ {
			if err := o.ch.Send(o.all, peer, 0, bench.Context); err != nil {
				return err
			}
		}
	}
	return nil
}

func onTime(int) int { return 0 }

func collective(start bench.Start, late func(int) int, sizes ...int) bench.Plan {
	p := echoes(sizes...)
	p.Start, p.Batch, p.Level = start, 1, "comm"
	for i := range p.Cases {
		p.Cases[i].Bench = together(late)
	}
	return p
}

// clocked is a network on which reading the clock takes 10 ns.
func clocked(ranks int) *benchtest.Net {
	n := slow(ranks)
	n.ClockCost = 10
	return n
}

// The delay of a rank is added to the time of the operation.
func TestGlobalTimeIncludesASlowRank(t *testing.T) {
	for _, start := range []bench.Start{bench.StartBarrier, bench.StartTime} {
		even := run(t, clocked(4), collective(start, onTime, 100)).Points[0]
		slowed := run(t, clocked(4), collective(start, func(rank int) int {
			if rank == 2 {
				return 1000 // x 10 ns
			}
			return 0
		}, 100)).Points[0]
		for _, metric := range []string{"global_s", "local_s"} {
			more := slowed.Metrics.Median(metric) - even.Metrics.Median(metric)
			if math.Abs(more-10e-6) > 1e-6 {
				t.Errorf("start %s: %s grew by %g s, planted were 10 us", start, metric, more)
			}
		}
		if even.Start != string(start) || even.ClockSync != "shared" {
			t.Errorf("start %q, clock %q", even.Start, even.ClockSync)
		}
	}
}

// Samples without a gate follow each other: their sum is the time of the loop.
func TestBackToBack(t *testing.T) {
	found := run(t, clocked(4), collective(bench.StartNone, onTime, 100))
	p := found.Points[0]
	alone := run(t, clocked(4), collective(bench.StartBarrier, onTime, 100)).Points[0]
	got, largest := p.Metrics.Median("t_s"), alone.Metrics.Median("global_s")*1.2
	if got <= 0 || got > largest {
		t.Errorf("back to back one operation takes %g s, alone %g s", got, largest)
	}
	precisely(t, p, "throughput_Ops", 1/got)
	precisely(t, p, "aggregate_Bps", 400/got)
	precisely(t, p, "busbw_Bps", 150/got)
	for _, metric := range []string{"global_s", "local_s", "skew_s"} {
		if ok := p.Metrics.Has(metric); ok {
			t.Errorf("operations in a row have %s, which is the time of one", metric)
		}
	}
	if !strings.Contains(p.Method, "throughput = 1 / t") {
		t.Errorf("the method is %q", p.Method)
	}
	for _, live := range found.Live {
		if live.Metric != "t_s" {
			t.Errorf("progress names %s", live.Metric)
		}
	}
}

// Back to back, the time of an event counts from the exit of the last rank from the previous one:
// the delay of rank 2 before it enters is part of it.
func TestBackToBackCountsFromTheLastEnd(t *testing.T) {
	slowed := run(t, clocked(3), collective(bench.StartNone, func(rank int) int {
		if rank == 2 {
			return 1000 // x 10 ns
		}
		return 0
	}, 8)).Points[0]
	even := run(t, clocked(3), collective(bench.StartNone, onTime, 8)).Points[0]
	more := slowed.Metrics.Median("t_s") - even.Metrics.Median("t_s")
	if more < 8.5e-6 || more > 10.1e-6 { // part of it is hidden behind the message to rank 0
		t.Errorf("t grew by %g s, planted were 10 us", more)
	}
	if even.Start != "none" || even.Invalid != 0 {
		t.Errorf("start %s, %d invalid", even.Start, even.Invalid)
	}
}

func TestRatesOfCollectives(t *testing.T) {
	p := run(t, clocked(4), collective(bench.StartBarrier, onTime, 1000)).Points[0]
	time := p.Metrics.Median("global_s")
	for metric, bytes := range map[string]float64{"algbw_Bps": 1000, "delivered_Bps": 3000, "aggregate_Bps": 4000, "busbw_Bps": 1500} {
		if got := p.Metrics.Median(metric) * time; math.Abs(got-bytes) > 1e-6 {
			t.Errorf("%s x global = %g bytes, want %g", metric, got, bytes)
		}
	}
}

// A rank that receives the announcement after the start makes the sample invalid.
func TestLateStartsAreCounted(t *testing.T) {
	net := clocked(3)
	net.Delay = func(src, dst int, i int64) int64 {
		if src == 0 && dst == 2 && i > 100 && i%5 == 0 {
			return 100_000
		}
		return 0
	}
	plan := collective(bench.StartTime, onTime, 8)
	plan.Stop.MaxSamples = 200
	p := run(t, net, plan).Points[0]
	if p.Invalid == 0 || len(p.Warnings) == 0 || !strings.Contains(strings.Join(p.Warnings, ";"), "not valid") {
		t.Errorf("%d invalid of %d, warnings %q", p.Invalid, p.Iterations, p.Warnings)
	}
	if p.Metrics.Median("global_s") > 50e-6 {
		t.Errorf("invalid samples count: the median is %g s", p.Metrics.Median("global_s"))
	}
}

func TestSkewDelaysArrival(t *testing.T) {
	plan := collective(bench.StartBarrier, onTime, 8)
	even := run(t, clocked(3), plan).Points[0]
	plan.Skew = bench.Skew{Kind: bench.SkewLate, By: 50 * 1000}
	late := run(t, clocked(3), plan).Points[0]
	if more := late.Metrics.Median("global_s") - even.Metrics.Median("global_s"); math.Abs(more-50e-6) > 2e-6 {
		t.Errorf("one rank late by 50 us makes the operation longer by %g s", more)
	}
	if want := ", each sample behind a barrier of the runner, one rank in turn late by 50µs, which"; !strings.Contains(late.Method, want) {
		t.Errorf("the method is %q", late.Method)
	}
	if late.Skew != "late:50µs" {
		t.Errorf("the record has skew %q", late.Skew)
	}
}

// A corrupted result on any rank ends the run.
func TestCheckerDetectsSpoiledData(t *testing.T) {
	net := clocked(3)
	net.Spoil = func(src, dst int, i int64, data []byte) {
		if src == 0 && dst == 2 && len(data) == 333 {
			data[332] ^= 1
		}
	}
	found := &benchtest.Found{}
	for rank, err := range benchtest.Run(t.Context(), net.Devices(), collective(bench.StartBarrier, onTime, 333), found) {
		var wrong *bench.DataError
		if err == nil || !errors.As(err, &wrong) || wrong.Rank != 2 || wrong.Offset != 332 || wrong.Bench != "together" {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 0 {
		t.Errorf("%d points in spite of wrong data", len(found.Points))
	}
}
