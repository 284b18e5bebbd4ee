package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func bcast(o Options) bench.Benchmark {
	return benchmark(schedule.Bcast, o, "the root's vector to all ranks", "size", once, bench.Fixed(1), func(env *bench.Env) bench.Op {
		return &bcastOp{newOperation(env, schedule.Bcast, o), env.Alloc(env.Bytes)}
	})
}

type bcastOp struct {
	operation
	data []byte
}

func (b *bcastOp) Do(k int) error {
	for range k {
		if err := comm.Bcast(b.c, b.data, b.next()); err != nil {
			return err
		}
	}
	return nil
}

// Prepare fills the buffer. With a rotating root every rank sends the data that it has received, so
// the data is always that of the first root.
func (b *bcastOp) Prepare(iteration uint64, _ bool) {
	s := bench.Stream{Rank: b.root}
	b.last = b.root
	if b.c.Rank() == b.root {
		s.Fill(b.data, iteration)
	} else {
		s.Spoil(b.data, iteration)
	}
	b.first = b.root
}

func (b *bcastOp) Check(iteration uint64) *bench.DataError {
	return match(b.data, bench.Stream{Rank: b.first}, iteration)
}
