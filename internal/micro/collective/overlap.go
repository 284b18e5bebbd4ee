package collective

import (
	"gobench/bench"
	"gobench/comm"
)

// starter starts a non-blocking operation.
type starter interface {
	start() (comm.Request, error)
	polls() int
}

// overlapped runs k events, each with work (nil = none) between start and wait. The operation is
// tested polls times during the work (MPI_Test).
func overlapped(s starter, k int, work *bench.Work) error {
	for range k {
		r, err := s.start()
		if err != nil {
			return err
		}
		if work != nil {
			for part := range s.polls() + 1 {
				if part > 0 {
					if _, _, err := r.Test(); err != nil {
						return err
					}
				}
				work.Part(part, s.polls()+1)
			}
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (o *operation) polls() int { return o.polled }

func (b *barrierOp) start() (comm.Request, error) { return comm.Ibarrier(b.c) }
func (b *bcastOp) start() (comm.Request, error)   { return comm.Ibcast(b.c, b.data, b.next()) }

func (g *allgatherOp) start() (comm.Request, error) {
	if g.inPlace {
		return comm.Iallgather(g.c, nil, g.recv)
	}
	return comm.Iallgather(g.c, g.send, g.recv)
}

func (a *alltoallOp) start() (comm.Request, error) {
	a.events++
	if a.inPlace {
		return comm.Ialltoall(a.c, nil, a.recv)
	}
	return comm.Ialltoall(a.c, a.send, a.recv)
}

func (s *scatterOp) start() (comm.Request, error) {
	root := s.next()
	return comm.Iscatter(s.c, s.send, s.received(root), root)
}

func (g *gatherOp) start() (comm.Request, error) {
	root := g.next()
	return comm.Igather(g.c, g.sent(root), g.recv, root)
}

// nonblocking runs an operation in its non-blocking form.
type nonblocking struct {
	bench.Op
	bench.Checker
	bench.Namer
	starter
}

func (n *nonblocking) Do(k int) error { return overlapped(n.starter, k, nil) }

// Overlap implements bench.Overlapper.
func (n *nonblocking) Overlap(k int, work *bench.Work) error { return overlapped(n.starter, k, work) }

// unblocked returns the non-blocking form of an operation.
func unblocked(o bench.Op) bench.Op {
	n := &nonblocking{Op: o, starter: o.(starter), Namer: o.(bench.Namer)}
	var ok bool
	if n.Checker, ok = o.(bench.Checker); !ok {
		n.Checker = nothing{}
	}
	return n
}

// nothing is the Checker of a barrier, which has no data.
type nothing struct{}

func (nothing) Prepare(uint64, bool)          {}
func (nothing) Check(uint64) *bench.DataError { return nil }
