package collective

import (
	"fmt"
	"slices"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

// inter is the topology of operations of an inter-communicator between the first half of the ranks
// and the others.
var inter = &Topology{Name: "inter"}

func (o Options) between() bool { return o.Topology == inter }

// betweenKinds lists the operations of inter-communicators.
var betweenKinds = []schedule.Kind{schedule.Barrier, schedule.Bcast, schedule.Allgather, schedule.Alltoall, schedule.Allreduce}

// Between reports whether a topology, which may be nil, has two groups.
func (t *Topology) Between() bool { return t == inter }

// Check returns an error for an operation that a topology, which may be nil, does not fit.
func (t *Topology) Check(kind schedule.Kind) error {
	switch {
	case t != inter:
		return nil
	case kind.Neighbors():
		return fmt.Errorf("%v has neighbours, which two groups have not: choose cart:N or graph:FILE", kind)
	case !slices.Contains(betweenKinds, kind):
		return fmt.Errorf("%v is not measured between two groups: choose barrier, bcast, allgather, alltoall or allreduce", kind)
	}
	return nil
}

// remote returns the first rank of the other group and the one behind its last.
func remote(env *bench.Env) (from, to int) {
	half := env.Size() / 2
	if env.Rank() < half {
		return half, env.Size()
	}
	return 0, half
}

// interOp is one rank's part of an operation that moves data between two groups.
type interOp struct {
	operation
	me, from, to int // this rank, and the range of the other group
	each         int // bytes of a block
	out, in      []byte
	received     int // the last root of the other group, or -1
}

func newInter(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	x := &interOp{operation: newOperation(env, kind, o), me: env.Rank(), each: env.Bytes}
	x.from, x.to = remote(env)
	sent, received := 1, x.to-x.from
	switch kind {
	case schedule.Bcast:
		received = 1
		x.do = x.bcast
	case schedule.Allgather:
		x.do = func(int) error { return comm.Allgather(x.c, x.out, x.in) }
	default:
		sent = received
		x.do = func(int) error { return comm.Alltoall(x.c, x.out, x.in) }
	}
	x.out, x.in = env.Alloc(sent*x.each), env.Alloc(received*x.each)
	return x
}

func (x *interOp) bcast(root int) error {
	switch {
	case root == x.me:
		return comm.Bcast(x.c, x.out, comm.Root)
	case root < x.from || root >= x.to:
		return comm.Bcast(x.c, x.out, comm.ProcNull)
	}
	x.received = root
	return comm.Bcast(x.c, x.in, root-x.from)
}

// blocks calls f with each block of a buffer and the data of the block.
func (x *interOp) blocks(buf []byte, received bool, f func(block []byte, s bench.Stream)) {
	for i := range len(buf) / max(1, x.each) {
		s := bench.Stream{Rank: x.me}
		peer := x.from + i
		if received {
			s.Rank = peer
			peer = x.me
		}
		switch x.kind {
		case schedule.Alltoall:
			s.Slot = peer
		case schedule.Bcast:
			if received {
				s.Rank = max(x.received, x.from)
			}
		}
		f(buf[i*x.each:][:x.each], s)
	}
}

// Prepare implements bench.Checker.
func (x *interOp) Prepare(iteration uint64, _ bool) {
	x.received = -1
	x.blocks(x.out, false, func(block []byte, s bench.Stream) { s.Fill(block, iteration) })
	x.blocks(x.in, true, func(block []byte, s bench.Stream) { s.Spoil(block, iteration) })
	x.prepared()
}

// Check implements bench.Checker. In a bcast only the group without the root has received.
func (x *interOp) Check(iteration uint64) (defect *bench.DataError) {
	if x.kind == schedule.Bcast && x.received < 0 {
		return nil
	}
	x.blocks(x.in, true, func(block []byte, s bench.Stream) {
		if defect == nil {
			defect = match(block, s, iteration)
		}
	})
	return defect
}
