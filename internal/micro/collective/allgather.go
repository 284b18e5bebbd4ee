package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func allgather(o Options) bench.Benchmark {
	return benchmark(schedule.Allgather, o, "a block of each rank to all ranks", "(p - 1) x size", others, block, func(env *bench.Env) bench.Op {
		g := &allgatherOp{gatherOp{operation: newOperation(env, schedule.Allgather, o), bytes: env.Bytes}}
		g.send, g.recv = env.Alloc(env.Bytes), env.Alloc(env.Bytes*env.Size())
		return g
	})
}

// allgatherOp has the buffers of a gather with every rank as root.
type allgatherOp struct{ gatherOp }

func (g *allgatherOp) Do(k int) error {
	send := g.send
	if g.inPlace {
		send = nil
	}
	for range k {
		if err := comm.Allgather(g.c, send, g.recv); err != nil {
			return err
		}
	}
	return nil
}

func (g *allgatherOp) Check(iteration uint64) *bench.DataError {
	return blocks(g.recv, g.c.Size(), g.bytes, 0, iteration)
}
