package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func scatter(o Options) bench.Benchmark {
	return benchmark(schedule.Scatter, o, "a block of the root's for each rank", "(p - 1) x size", others, block, func(env *bench.Env) bench.Op {
		s := &scatterOp{operation: newOperation(env, schedule.Scatter, o), bytes: env.Bytes}
		s.send, s.recv = env.Alloc(env.Bytes*env.Size()), env.Alloc(env.Bytes)
		return s
	})
}

type scatterOp struct {
	operation
	bytes      int
	send, recv []byte
}

func (s *scatterOp) Do(k int) error {
	for range k {
		root := s.next()
		if err := comm.Scatter(s.c, s.send, s.received(root), root); err != nil {
			return err
		}
	}
	return nil
}

// received returns the block to receive, nil at the root of an operation in place.
func (s *scatterOp) received(root int) []byte {
	if s.inPlace && root == s.c.Rank() {
		return nil
	}
	return s.recv
}

// Prepare fills the send buffers of all ranks: any may become the root.
func (s *scatterOp) Prepare(iteration uint64, _ bool) {
	for rank := range s.c.Size() {
		bench.Stream{Rank: s.c.Rank(), Slot: rank}.Fill(part(s.send, rank, s.bytes), iteration)
	}
	s.last = s.root
	bench.Stream{Rank: s.root, Slot: s.c.Rank()}.Spoil(s.recv, iteration)
}

func (s *scatterOp) Check(iteration uint64) *bench.DataError {
	if s.inPlace && s.last == s.c.Rank() {
		return match(part(s.send, s.c.Rank(), s.bytes), bench.Stream{Rank: s.last, Slot: s.c.Rank()}, iteration)
	}
	return match(s.recv, bench.Stream{Rank: s.last, Slot: s.c.Rank()}, iteration)
}
