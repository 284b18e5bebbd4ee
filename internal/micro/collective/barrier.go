package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func barrier(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	b := newOperation(env, kind, o)
	b.do = func(int) error { return comm.Barrier(b.c) }
	b.start = func(int) (comm.Request, error) { return comm.Ibarrier(b.c) }
	return &b
}
