package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/comm/schedule"
)

func allreduce(o Options) bench.Benchmark {
	return unrooted(schedule.Allreduce, o, reduction{comm.Allreduce[float32], comm.Iallreduce[float32]}, "the sum of all vectors to all ranks", "2 (p - 1) / p x size", twice,
		func(_, size int) int { return size })
}

func scan(o Options) bench.Benchmark {
	return unrooted(schedule.Scan, o, reduction{comm.Scan[float32], comm.Iscan[float32]}, "to each rank the sum over the ranks up to it", "size", once,
		func(rank, _ int) int { return rank + 1 })
}

func exscan(o Options) bench.Benchmark {
	return unrooted(schedule.Exscan, o, reduction{comm.Exscan[float32], comm.Iexscan[float32]}, "to each rank the sum over the ranks before it", "size", once,
		func(rank, _ int) int { return rank })
}

// A reduction is an operation of package comm with a result on every rank, blocking and started.
type reduction struct {
	do    func(c *comm.Comm, send, recv []float32, o *op.Op) error
	start func(c *comm.Comm, send, recv []float32, o *op.Op) (comm.Request, error)
}

// unrooted returns the benchmark of a reduction. The result of a rank is the sum of the vectors of
// ranks 0 to addends - 1; rank 0 of exscan has no result.
func unrooted(kind schedule.Kind, o Options, do reduction, about, bus string, volume func(p float64) float64, addends func(rank, size int) int) bench.Benchmark {
	return benchmark(kind, o, about, bus, volume, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return &unrootedOp{newVectors(env, kind, o), do, addends(env.Rank(), env.Size())}
	})
}

type unrootedOp struct {
	vectors
	do      reduction
	addends int
}

func (r *unrootedOp) Do(k int) error {
	send := r.sent()
	r.events += k
	for range k {
		if err := r.do.do(r.c, send, r.recv, sum); err != nil {
			return err
		}
	}
	return nil
}

// sent returns the vector to send, nil in place.
func (r *unrootedOp) sent() []float32 {
	if r.inPlace {
		return nil
	}
	return r.send
}

func (r *unrootedOp) Check(iteration uint64) *bench.DataError {
	if r.grown() || r.addends == 0 {
		return nil
	}
	return r.numbers.match(r.recv, 0, r.addends, iteration)
}
