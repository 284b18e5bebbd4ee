package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func allreduce(o Options) bench.Benchmark {
	return benchmark(schedule.Allreduce, o, "the sum of all vectors to all ranks", "2 (p - 1) / p x size", twice, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return &allreduceOp{newVectors(env, schedule.Allreduce, o)}
	})
}

type allreduceOp struct{ vectors }

func (r *allreduceOp) Do(k int) error {
	send := r.send
	if r.inPlace {
		send = nil
	}
	r.events += k
	for range k {
		if err := comm.Allreduce(r.c, send, r.recv, sum); err != nil {
			return err
		}
	}
	return nil
}

func (r *allreduceOp) Check(iteration uint64) *bench.DataError {
	if r.grown() {
		return nil
	}
	return r.numbers.match(r.recv, 0, r.c.Size(), iteration)
}
