package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func barrier(o Options) bench.Benchmark {
	return benchmark(schedule.Barrier, o, "no rank leaves before all ranks have entered", "", nil, bench.Fixed(0), func(env *bench.Env) bench.Op {
		return &barrierOp{newOperation(env, schedule.Barrier, o)}
	})
}

type barrierOp struct{ operation }

func (b *barrierOp) Do(k int) error {
	for range k {
		if err := comm.Barrier(b.c); err != nil {
			return err
		}
	}
	return nil
}
