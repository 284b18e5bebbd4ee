package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

func reduce(o Options) bench.Benchmark {
	return benchmark(schedule.Reduce, o, "the sum of all vectors to the root", "size", once, bench.Fixed(2), func(env *bench.Env) bench.Op {
		return &reduceOp{newVectors(env, schedule.Reduce, o)}
	})
}

type reduceOp struct{ vectors }

func (r *reduceOp) Do(k int) error {
	r.events += k
	for range k {
		root := r.next()
		if err := comm.Reduce(r.c, r.sent(root), r.recv, sum, root); err != nil {
			return err
		}
	}
	return nil
}

// sent returns the vector to send, nil at the root of an operation in place.
func (r *reduceOp) sent(root int) []float32 {
	if r.inPlace && root == r.c.Rank() {
		return nil
	}
	return r.send
}

func (r *reduceOp) Check(iteration uint64) *bench.DataError {
	if r.last != r.c.Rank() || r.grown() {
		return nil
	}
	return r.numbers.match(r.recv, 0, r.c.Size(), iteration)
}

// vectors holds the buffers of a reduction.
type vectors struct {
	operation
	send, recv []float32
	numbers    numbers
	events     int // since the data was prepared
}

func newVectors(env *bench.Env, kind schedule.Kind, o Options) vectors {
	return vectors{
		operation: newOperation(env, kind, o),
		send:      floats(env.Alloc(env.Bytes)), recv: floats(env.Alloc(env.Bytes)),
	}
}

func (v *vectors) Prepare(iteration uint64, timed bool) {
	v.numbers = exact
	if timed {
		v.numbers = ordinary
	}
	v.numbers.fill(v.send, v.c.Rank(), iteration)
	spoilVector(v.recv)
	if v.inPlace {
		copy(v.recv, v.send)
	}
	v.last, v.events = v.root, 0
}

// grown reports whether several in-place events have added to their own results. The result of such
// a block cannot be checked; that of the event after it, and of the check passes, can.
func (v *vectors) grown() bool { return v.inPlace && v.events > 1 }
