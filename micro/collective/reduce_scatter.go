package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func reduceScatter(o Options) bench.Benchmark {
	return benchmark(schedule.ReduceScatter, o, "the sum of all vectors, a part of it to each rank", "(p - 1) / p x size", share, bench.Fixed(2), func(env *bench.Env) bench.Op {
		r := &reduceScatterOp{vectors: newVectors(env, schedule.ReduceScatter, o)}
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
	})
}

// Block converts the size of a benchmark to the size by which an algorithm is chosen
// (schedule.Shape.Bytes): for reduce_scatter the size of one rank's block.
func Block(kind schedule.Kind, size, ranks int) int {
	if kind == schedule.ReduceScatter {
		return size / ranks
	}
	return size
}

// Blocks returns the blocks of a benchmark (schedule.Shape.SendBlocks), nil if they are equal.
func Blocks(kind schedule.Kind, size, ranks int) []schedule.Block {
	elements := size / sum.Elem
	if kind != schedule.ReduceScatter || elements%ranks == 0 {
		return nil
	}
	blocks := make([]schedule.Block, ranks)
	for rank := range blocks {
		from, to := rank*elements/ranks, (rank+1)*elements/ranks
		blocks[rank] = schedule.Block{Off: from * sum.Elem, Len: (to - from) * sum.Elem}
	}
	return blocks
}

// reduceScatterOp scatters parts that differ by at most one element.
type reduceScatterOp struct {
	vectors
	counts []int
	from   int  // first element of this rank's part
	even   bool // all parts are equal
}

func (r *reduceScatterOp) Do(k int) error {
	send, recv := r.ends()
	r.events += k
	for range k {
		var err error
		if r.even {
			err = comm.ReduceScatterBlock(r.c, send, recv, sum)
		} else {
			err = comm.ReduceScatter(r.c, send, recv, r.counts, sum)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ends returns the vector to send, nil in place, and the part to receive.
func (r *reduceScatterOp) ends() (send, recv []float32) {
	if r.inPlace {
		return nil, r.recv
	}
	return r.send, r.recv[:r.counts[r.c.Rank()]]
}

func (r *reduceScatterOp) Check(iteration uint64) *bench.DataError {
	if r.grown() {
		return nil
	}
	return r.numbers.match(r.recv[:r.counts[r.c.Rank()]], r.from, r.c.Size(), iteration)
}
