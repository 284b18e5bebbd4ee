package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func scan(o Options) bench.Benchmark {
	return benchmark(schedule.Scan, o, "to each rank the sum over the ranks up to it", "size", once, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return &scanOp{newVectors(env, schedule.Scan, o)}
	})
}

type scanOp struct{ vectors }

func (r *scanOp) Do(k int) error {
	send := r.send
	if r.inPlace {
		send = nil
	}
	r.events += k
	for range k {
		if err := comm.Scan(r.c, send, r.recv, sum); err != nil {
			return err
		}
	}
	return nil
}

func (r *scanOp) Check(iteration uint64) *bench.DataError {
	if r.grown() {
		return nil
	}
	return r.numbers.match(r.recv, 0, r.c.Rank()+1, iteration)
}
