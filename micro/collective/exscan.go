package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func exscan(o Options) bench.Benchmark {
	return benchmark(schedule.Exscan, o, "to each rank the sum over the ranks before it", "size", once, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return &exscanOp{newVectors(env, schedule.Exscan, o)}
	})
}

type exscanOp struct{ vectors }

func (r *exscanOp) Do(k int) error {
	send := r.send
	if r.inPlace {
		send = nil
	}
	r.events += k
	for range k {
		if err := comm.Exscan(r.c, send, r.recv, sum); err != nil {
			return err
		}
	}
	return nil
}

func (r *exscanOp) Check(iteration uint64) *bench.DataError {
	if r.grown() || r.c.Rank() == 0 { // rank 0 gets nothing
		return nil
	}
	return r.numbers.match(r.recv, 0, r.c.Rank(), iteration)
}
