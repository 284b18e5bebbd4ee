package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func gather(o Options) bench.Benchmark {
	return benchmark(schedule.Gather, o, "a block of each rank to the root", "(p - 1) x size", others, block, func(env *bench.Env) bench.Op {
		g := &gatherOp{operation: newOperation(env, schedule.Gather, o), bytes: env.Bytes}
		g.send, g.recv = env.Alloc(env.Bytes), env.Alloc(env.Bytes*env.Size())
		return g
	})
}

type gatherOp struct {
	operation
	bytes      int
	send, recv []byte
}

func (g *gatherOp) Do(k int) error {
	for range k {
		root := g.next()
		if err := comm.Gather(g.c, g.sent(root), g.recv, root); err != nil {
			return err
		}
	}
	return nil
}

// sent returns the block to send, nil at the root of an operation in place.
func (g *gatherOp) sent(root int) []byte {
	if g.inPlace && root == g.c.Rank() {
		return nil
	}
	return g.send
}

func (g *gatherOp) Prepare(iteration uint64, _ bool) {
	me := g.c.Rank()
	bench.Stream{Rank: me}.Fill(g.send, iteration)
	for rank := range g.c.Size() {
		bench.Stream{Rank: rank}.Spoil(part(g.recv, rank, g.bytes), iteration)
	}
	if g.inPlace {
		copy(part(g.recv, me, g.bytes), g.send)
	}
	g.last = g.root
}

func (g *gatherOp) Check(iteration uint64) *bench.DataError {
	if g.last != g.c.Rank() {
		return nil
	}
	return blocks(g.recv, g.c.Size(), g.bytes, 0, iteration)
}

// blocks compares the blocks of all ranks with their streams.
func blocks(data []byte, ranks, bytes, slot int, iteration uint64) *bench.DataError {
	for rank := range ranks {
		if defect := match(part(data, rank, bytes), bench.Stream{Rank: rank, Slot: slot}, iteration); defect != nil {
			return defect
		}
	}
	return nil
}
