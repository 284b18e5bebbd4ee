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
	// Topology gives neighbourhood operations their neighbours, nil = a grid of two dimensions, and
	// selects operations between two groups.
	Topology *Topology
}

func (o Options) topology() *Topology {
	if o.Topology == nil {
		return grid
	}
	return o.Topology
}

// An operation is the bench.Op of one rank without data. do performs one event, and start starts
// its non-blocking form; both get the event's root, which an operation without a root ignores.
type operation struct {
	do    func(root int) error
	start func(root int) (comm.Request, error)

	c       *comm.Comm
	err     error // of its creation
	inter   bool  // it is an inter-communicator of the operation
	ranks   int   // of both groups
	kind    schedule.Kind
	root    int // of the next event
	last    int // of the last event
	first   int // of the first event since the data was prepared
	events  int // since the data was prepared
	rotate  bool
	inPlace bool
	overlap bool // events are non-blocking
	polls   int  // tests of an event during the computation
}

// commOf returns the communicator of a channel. Collective benchmarks are planned for level comm
// only (see Check).
func commOf(env *bench.Env) *comm.Comm {
	return env.Channel.(interface{ Comm() *comm.Comm }).Comm()
}

func newOperation(env *bench.Env, kind schedule.Kind, o Options) operation {
	c := commOf(env)
	c.Force(kind, o.Algorithm)
	op := operation{
		c: c, inter: o.between(), ranks: c.Size(), kind: kind, root: env.Root.Rank, rotate: env.Root.Rotate, inPlace: o.InPlace, overlap: o.Overlap, polls: env.Polls,
	}
	if op.inter {
		if op.c, op.err = c.Divide(); op.err != nil {
			op.c, op.inter = c, false
		}
	}
	return op
}

// Algorithm implements bench.Namer.
func (o *operation) Algorithm() string {
	if o.inter {
		return inter.Name
	}
	return o.c.Algorithm(o.kind)
}

// ByTable implements bench.Namer.
func (o *operation) ByTable() bool { return !o.inter && o.c.ByTable(o.kind) }

// next returns the root of an event.
func (o *operation) next() int {
	o.events++
	o.last = o.root
	if o.rotate {
		if o.root++; o.root == o.ranks {
			o.root = 0
		}
	}
	return o.last
}

// prepared notes that the data of the next event has been prepared.
func (o *operation) prepared() { o.first, o.last, o.events = o.root, o.root, 0 }

// given returns a buffer for an event, nil if the operation is in place and leaves the rank's own
// data in its other buffer: at the root, or without a root on every rank.
func given[E any](o *operation, buffer []E, root int) []E {
	if o.inPlace && (root == o.c.Rank() || !o.kind.Rooted()) {
		return nil
	}
	return buffer
}

// Do implements bench.Op.
func (o *operation) Do(k int) error {
	if o.err != nil {
		return o.err
	}
	if o.overlap {
		return o.Overlap(k, nil)
	}
	for range k {
		if err := o.do(o.next()); err != nil {
			return err
		}
	}
	return nil
}

// Overlap implements bench.Overlapper. Each event has work (nil = none) between start and wait, and
// is tested polls times during the work (MPI_Test).
func (o *operation) Overlap(k int, work *bench.Work) error {
	for range k {
		r, err := o.start(o.next())
		if err != nil {
			return err
		}
		if work != nil {
			for part := range o.polls + 1 {
				if part > 0 {
					if _, _, err := r.Test(); err != nil {
						return err
					}
				}
				work.Part(part, o.polls+1)
			}
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// match compares data with that of a stream and returns the first defect, or nil.
func match(data []byte, s bench.Stream, iteration uint64) *bench.DataError {
	if at, want := s.Check(data, iteration); at >= 0 {
		return &bench.DataError{Size: len(data), Source: s.Rank, Offset: at, Want: want, Got: data[at]}
	}
	return nil
}

func barrier(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	b := newOperation(env, kind, o)
	b.do = func(int) error { return comm.Barrier(b.c) }
	b.start = func(int) (comm.Request, error) { return comm.Ibarrier(b.c) }
	return &b
}

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
