package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

type bcastOp struct {
	operation
	data []byte
}

func bcast(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	b := &bcastOp{newOperation(env, kind, o), env.Alloc(env.Bytes)}
	b.do = func(root int) error { return comm.Bcast(b.c, b.data, root) }
	b.start = func(root int) (comm.Request, error) { return comm.Ibcast(b.c, b.data, root) }
	return b
}

// Prepare fills the buffer. With a rotating root every rank sends the data that it has received, so
// the data is always that of the first root.
func (b *bcastOp) Prepare(iteration uint64, _ bool) {
	s := bench.Stream{Rank: b.root}
	if b.c.Rank() == b.root {
		s.Fill(b.data, iteration)
	} else {
		s.Spoil(b.data, iteration)
	}
	b.prepared()
}

func (b *bcastOp) Check(iteration uint64) *bench.DataError {
	return match(b.data, bench.Stream{Rank: b.first}, iteration)
}
