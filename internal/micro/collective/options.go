package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/schedule"
)

// Options holds the factors of a collective benchmark.
type Options struct {
	Algorithm    *coll.Choice  // nil = by the table
	InPlace      bool          // MPI_IN_PLACE
	Distribution *Distribution // of uneven blocks; nil = equal ones
	// Reduction names one of op.All, "max of float64"; "" = the sum of float32, as in IMB.
	Reduction string
	Overlap   bool // the non-blocking form, overlapped with computation
}

// operation holds the common state of the benchmarks of all operations.
type operation struct {
	c       *comm.Comm
	kind    schedule.Kind
	root    int // of the next event
	last    int // of the last event
	first   int // of the first event since the data was prepared
	rotate  bool
	inPlace bool
	polled  int
}

// commOf returns the communicator of a channel. Collective benchmarks are planned for level comm
// only (see Check).
func commOf(env *bench.Env) *comm.Comm {
	return env.Channel.(interface{ Comm() *comm.Comm }).Comm()
}

func newOperation(env *bench.Env, kind schedule.Kind, o Options) operation {
	c := commOf(env)
	c.Force(kind, o.Algorithm)
	return operation{c: c, kind: kind, root: env.Root.Rank, rotate: env.Root.Rotate, inPlace: o.InPlace, polled: env.Polls}
}

// Algorithm implements bench.Namer.
func (o *operation) Algorithm() string { return o.c.Algorithm(o.kind) }

// ByTable implements bench.Namer.
func (o *operation) ByTable() bool { return o.c.ByTable(o.kind) }

// next returns the root of an event.
func (o *operation) next() int {
	o.last = o.root
	if o.rotate {
		if o.root++; o.root == o.c.Size() {
			o.root = 0
		}
	}
	return o.last
}
