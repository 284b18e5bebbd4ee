package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/comm/schedule"
)

func allreduce(o Options) bench.Benchmark {
	return unrooted(schedule.Allreduce, o, "the vectors of all combined, to all ranks", "2 (p - 1) / p x size", twice,
		func(_, size int) int { return size })
}

func scan(o Options) bench.Benchmark {
	return unrooted(schedule.Scan, o, "to each rank the vectors of the ranks up to it, combined", "size", once,
		func(rank, _ int) int { return rank + 1 })
}

func exscan(o Options) bench.Benchmark {
	return unrooted(schedule.Exscan, o, "to each rank the vectors of the ranks before it, combined", "size", once,
		func(rank, _ int) int { return rank })
}

// unrooted returns the benchmark of a reduction. The result of a rank combines the vectors of ranks
// 0 to operands - 1; rank 0 of exscan has no result.
func unrooted(kind schedule.Kind, o Options, about, bus string, volume func(p float64) float64, operands func(rank, size int) int) bench.Benchmark {
	return benchmark(kind, o, about, bus, volume, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return elements[o.by().Type].unrooted(env, kind, o, operands(env.Rank(), env.Size()))
	})
}

// A reduction is an operation of package comm with a result on every rank, blocking and started.
type reduction[T number] struct {
	do    func(c *comm.Comm, send, recv []T, o *op.Op) error
	start func(c *comm.Comm, send, recv []T, o *op.Op) (comm.Request, error)
}

func (element[T]) unrooted(env *bench.Env, kind schedule.Kind, o Options, operands int) bench.Op {
	calls := map[schedule.Kind]reduction[T]{
		schedule.Allreduce: {comm.Allreduce[T], comm.Iallreduce[T]},
		schedule.Scan:      {comm.Scan[T], comm.Iscan[T]},
		schedule.Exscan:    {comm.Exscan[T], comm.Iexscan[T]},
	}[kind]
	return &unrootedOp[T]{newVectors[T](env, kind, o, operands), calls}
}

type unrootedOp[T number] struct {
	vectors[T]
	calls reduction[T]
}

func (r *unrootedOp[T]) Do(k int) error {
	send := r.sent()
	r.events += k
	for range k {
		if err := r.calls.do(r.c, send, r.recv, r.by); err != nil {
			return err
		}
	}
	return nil
}

func (r *unrootedOp[T]) start() (comm.Request, error) {
	r.events++
	return r.calls.start(r.c, r.sent(), r.recv, r.by)
}

// sent returns the vector to send, nil in place.
func (r *unrootedOp[T]) sent() []T {
	if r.inPlace {
		return nil
	}
	return r.send
}

func (r *unrootedOp[T]) Check(uint64) *bench.DataError { return r.match(r.recv) }
