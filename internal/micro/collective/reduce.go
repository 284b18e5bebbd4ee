package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func reduce(o Options) bench.Benchmark {
	return benchmark(schedule.Reduce, o, "the vectors of all combined, to the root", "size", once, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return elements[o.by().Type].reduce(env, o)
	})
}

func (element[T]) reduce(env *bench.Env, o Options) bench.Op {
	return &reduceOp[T]{newVectors[T](env, schedule.Reduce, o, env.Size())}
}

type reduceOp[T number] struct{ vectors[T] }

func (r *reduceOp[T]) Do(k int) error {
	r.events += k
	for range k {
		root := r.next()
		if err := comm.Reduce(r.c, r.sent(root), r.recv, r.by, root); err != nil {
			return err
		}
	}
	return nil
}

func (r *reduceOp[T]) start() (comm.Request, error) {
	r.events++
	root := r.next()
	return comm.Ireduce(r.c, r.sent(root), r.recv, r.by, root)
}

// sent returns the vector to send, nil at the root of an operation in place.
func (r *reduceOp[T]) sent(root int) []T {
	if r.inPlace && root == r.c.Rank() {
		return nil
	}
	return r.send
}

func (r *reduceOp[T]) Check(uint64) *bench.DataError {
	if r.last != r.c.Rank() {
		return nil
	}
	return r.match(r.recv)
}
