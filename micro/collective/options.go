package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/schedule"
)

// Options are the factors of a benchmark that the communicator must know.
type Options struct {
	Algorithm *coll.Choice // nil = by the table
	InPlace   bool         // MPI_IN_PLACE
}

// operation is what the benchmarks of all operations have in common.
type operation struct {
	c       *comm.Comm
	kind    schedule.Kind
	root    int // of the next event
	last    int // of the last one
	first   int // of the first event since the data was prepared
	rotate  bool
	inPlace bool
}

// commOf is the communicator under a channel. Who plans a collective benchmark
// opens the level comm (see Check).
func commOf(env *bench.Env) *comm.Comm {
	return env.Channel.(interface{ Comm() *comm.Comm }).Comm()
}

func newOperation(env *bench.Env, kind schedule.Kind, o Options) operation {
	c := commOf(env)
	c.Force(kind, o.Algorithm)
	return operation{c: c, kind: kind, root: env.Root.Rank, rotate: env.Root.Rotate, inPlace: o.InPlace}
}

// Algorithm implements bench.Namer.
func (o *operation) Algorithm() string { return o.c.Algorithm(o.kind) }

// next is the root of an event.
func (o *operation) next() int {
	o.last = o.root
	if o.rotate {
		if o.root++; o.root == o.c.Size() {
			o.root = 0
		}
	}
	return o.last
}
