package bench_test

import (
	"errors"
	"math"
	"testing"

	"gobench/bench"
	"gobench/internal/bench/benchtest"
)

// shift is a non-blocking operation: every rank sends to the next one. With hides, work is done
// before the wait and overlaps, otherwise after it.
func shift(hides bool) bench.Benchmark {
	b := together(onTime)
	b.Name, b.Overlap = "shift", true
	b.New = func(env *bench.Env) bench.Op {
		rank, ranks := env.Rank(), env.Size()
		return &shiftOp{
			env: env, next: (rank + 1) % ranks, before: (rank + ranks - 1) % ranks, hides: hides,
			out: env.Send(0), in: env.Recv((rank+ranks-1)%ranks, 0),
		}
	}
	return b
}

type shiftOp struct {
	env          *bench.Env
	next, before int
	hides        bool
	out, in      []byte
}

func (o *shiftOp) Do(k int) error { return o.Overlap(k, &bench.Work{}) }

func (o *shiftOp) Overlap(k int, work *bench.Work) error {
	for range k {
		r, err := o.env.Irecv(o.in, o.before, 0, bench.Context)
		if err != nil {
			return err
		}
		if err := o.env.Channel.Send(o.out, o.next, 0, bench.Context); err != nil {
			return err
		}
		if o.hides {
			work.Part(0, 2)
			work.Part(1, 2)
		}
		if _, err := o.env.Wait(r); err != nil {
			return err
		}
		if !o.hides {
			work.Do()
		}
	}
	return nil
}

// Work before the wait overlaps entirely with the transfer; work after the wait does not overlap.
func TestOverlapOfPlantedOperations(t *testing.T) {
	for _, hides := range []bool{true, false} {
		plan := collective(bench.StartTime, onTime, 10000)
		plan.Cases[0].Bench = shift(hides)
		p := run(t, clocked(3), plan).Points[0]
		pure, compute, both := p.Metrics.Median("pure_s"), p.Metrics.Median("compute_s"), p.Metrics.Median("overlapped_s")
		// 10 us for the bytes, 1 us latency, twice 0.1 us overhead, 0.01 us for the clock, and up
		// to 1 us because ranks leave the barrier one after the other
		if math.Abs(pure-11.7e-6) > 0.6e-6 || math.Abs(compute-pure) > 0.02e-6 {
			t.Errorf("pure %g s, compute %g s", pure, compute)
		}
		ratio, want := p.Metrics.Get("overlap_ratio"), 0.0
		if hides {
			want = 1
		}
		// The overheads of sending and receiving cannot be hidden: 0.2 of 11.2 us.
		if math.Abs(ratio.Median-want) > 0.03 || ratio.N < 6 {
			t.Errorf("overlapped %g s: ratio %g of %d rounds, want %g", both, ratio.Median, ratio.N, want)
		}
		if hides && !(ratio.Confidence > 0 && ratio.Lo <= ratio.Median && ratio.Median <= ratio.Hi && ratio.Hi <= 1) {
			t.Errorf("the ratio has no interval: %+v", ratio)
		}
	}
}

func TestOverlapMustBeDone(t *testing.T) {
	plan := collective(bench.StartBarrier, onTime, 8)
	plan.Cases[0].Bench.Overlap = true // and its Op is no Overlapper
	for rank, err := range benchtest.Run(t.Context(), clocked(2).Devices(), plan, &benchtest.Found{}) {
		var failed *bench.RankError
		if !errors.As(err, &failed) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}
