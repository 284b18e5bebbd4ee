package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func alltoall(o Options) bench.Benchmark {
	return benchmark(schedule.Alltoall, o, "a block from each rank to each rank", "(p - 1) x size", others, each(2), func(env *bench.Env) bench.Op {
		a := &alltoallOp{operation: newOperation(env, schedule.Alltoall, o), bytes: env.Bytes}
		a.send, a.recv = env.Alloc(env.Bytes*env.Size()), env.Alloc(env.Bytes*env.Size())
		return a
	})
}

type alltoallOp struct {
	operation
	bytes      int
	send, recv []byte
	events     int // since the data was prepared
}

func (a *alltoallOp) Do(k int) error {
	send := a.send
	if a.inPlace {
		send = nil
	}
	a.events += k
	for range k {
		if err := comm.Alltoall(a.c, send, a.recv); err != nil {
			return err
		}
	}
	return nil
}

func (a *alltoallOp) Prepare(iteration uint64, _ bool) {
	me := a.c.Rank()
	for rank := range a.c.Size() {
		bench.Stream{Rank: me, Slot: rank}.Fill(part(a.send, rank, a.bytes), iteration)
		bench.Stream{Rank: rank, Slot: me}.Spoil(part(a.recv, rank, a.bytes), iteration)
	}
	if a.inPlace {
		copy(a.recv, a.send)
	}
	a.events = 0
}

// Check checks the received blocks. In place, an event sends the blocks that the previous one
// received, so after two events each block is back at its origin.
func (a *alltoallOp) Check(iteration uint64) *bench.DataError {
	me := a.c.Rank()
	for rank := range a.c.Size() {
		s := bench.Stream{Rank: rank, Slot: me}
		if a.inPlace && a.events%2 == 0 {
			s = bench.Stream{Rank: me, Slot: rank}
		}
		if defect := match(part(a.recv, rank, a.bytes), s, iteration); defect != nil {
			return defect
		}
	}
	return nil
}
