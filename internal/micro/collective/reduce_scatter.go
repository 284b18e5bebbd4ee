package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func reduceScatter(o Options) bench.Benchmark {
	return benchmark(schedule.ReduceScatter, o, "the vectors of all combined, a part of the result to each rank", "(p - 1) / p x size", share, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return elements[o.by().Type].reduceScatter(env, o)
	})
}

func (element[T]) reduceScatter(env *bench.Env, o Options) bench.Op {
	r := &reduceScatterOp[T]{vectors: newVectors[T](env, schedule.ReduceScatter, o, env.Size())}
	r.counts = make([]int, env.Size())
	n := len(r.send)
	for rank := range r.counts {
		from, to := rank*n/env.Size(), (rank+1)*n/env.Size()
		r.counts[rank] = to - from
		if rank == env.Rank() {
			r.from = from
		}
	}
	r.even = n%env.Size() == 0
	return r
}

// Block converts the size of a benchmark to the size by which an algorithm is chosen
// (schedule.Shape.Bytes): for reduce_scatter the size of one rank's block.
func Block(kind schedule.Kind, size, ranks int) int {
	if kind == schedule.ReduceScatter {
		return size / ranks
	}
	return size
}

// Blocks returns the blocks of a benchmark on elements of elem bytes (schedule.Shape.SendBlocks),
// nil if they are equal.
func Blocks(kind schedule.Kind, size, ranks, elem int) []schedule.Block {
	elements := size / elem
	if kind != schedule.ReduceScatter || elements%ranks == 0 {
		return nil
	}
	blocks := make([]schedule.Block, ranks)
	for rank := range blocks {
		from, to := rank*elements/ranks, (rank+1)*elements/ranks
		blocks[rank] = schedule.Block{Off: from * elem, Len: (to - from) * elem}
	}
	return blocks
}

// reduceScatterOp scatters parts that differ by at most one element.
type reduceScatterOp[T number] struct {
	vectors[T]
	counts []int
	even   bool // all parts are equal
}

func (r *reduceScatterOp[T]) Do(k int) error {
	send, recv := r.ends()
	r.events += k
	for range k {
		var err error
		if r.even {
			err = comm.ReduceScatterBlock(r.c, send, recv, r.by)
		} else {
			err = comm.ReduceScatter(r.c, send, recv, r.counts, r.by)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reduceScatterOp[T]) start() (comm.Request, error) {
	r.events++
	send, recv := r.ends()
	if r.even {
		return comm.IreduceScatterBlock(r.c, send, recv, r.by)
	}
	return comm.IreduceScatter(r.c, send, recv, r.counts, r.by)
}

// ends returns the vector to send, nil in place, and the part to receive.
func (r *reduceScatterOp[T]) ends() (send, recv []T) {
	if r.inPlace {
		return nil, r.recv
	}
	return r.send, r.recv[:r.counts[r.c.Rank()]]
}

func (r *reduceScatterOp[T]) Check(uint64) *bench.DataError {
	return r.match(r.recv[:r.counts[r.c.Rank()]])
}
