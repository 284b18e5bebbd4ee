package comm

import (
	"cmp"
	"slices"

	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Root is the argument of Bcast over an inter-communicator at the root. The other ranks of its
// group pass ProcNull, and those that receive pass its rank.
const Root = -4

// inter is the part of a communicator that only an inter-communicator has (MPI 4.0, section 7.6).
// Such a communicator addresses the ranks of another group.
type inter struct {
	union   *Comm            // of both groups, for collective operations
	local   *Comm            // of this rank's group
	first   int              // rank in union of the first rank of the other group
	out, in []schedule.Block // of an Alltoallv of union
}

// NewInter creates an inter-communicator between the group of local and another one, whose ranks
// call it, too. The rank leader of local exchanges messages with the leader of the other group,
// which is rank remote of bridge; bridge, remote and tag are ignored on other ranks.
//
// Messages of an inter-communicator go to ranks of the other group, and so do the data of its
// collective operations, which are Barrier, Bcast (with Root), Allgather, Allreduce and Alltoall:
// a rank receives what the other group has sent. All vectors of both groups have the same length.
//
// A rank of both groups is an *ArgumentError on all ranks. A leader that does not find the other
// one has the error of its messages, and the ranks of its group have ErrBridge.
func NewInter(local *Comm, leader int, bridge *Comm, remote, tag int) (*Comm, error) {
	if uint(leader) >= uint(len(local.world)) && local.world != nil {
		return nil, &ArgumentError{"inter", "the leader", leader, local.ranks()}
	}
	own, err := local.Dup() // now all ranks of the group have the same next context
	if err != nil {
		return nil, err
	}
	ours := []int64{int64(local.job.next)}
	for _, w := range local.world {
		ours = append(ours, int64(w))
	}
	theirs := make([]int64, 2+own.dev.Size()) // their length, then theirs of the other group
	if own.rank == leader {
		var s Status
		if s, err = Sendrecv(bridge, ours, remote, tag, theirs[1:], remote, tag); err == nil {
			theirs[0] = int64(Count[int64](s))
		}
	}
	if e := Bcast(own, theirs, leader); e != nil || theirs[0] < 2 {
		own.Close()
		return nil, cmp.Or(err, e, ErrBridge)
	}
	x, err := own.join(ours, theirs[1:][:theirs[0]])
	if err != nil {
		own.Close()
	}
	return x, err
}

// join creates the inter-communicator of the group of c and another one, from their next contexts
// and their ranks. It owns c then.
func (c *Comm) join(ours, theirs []int64) (*Comm, error) {
	others := make([]int, 0, len(theirs)-1)
	for _, w := range theirs[1:] {
		if slices.Contains(c.world, int(w)) {
			return nil, &ArgumentError{"inter", "a rank of both groups", int(w), "a rank of one"}
		}
		others = append(others, int(w))
	}
	context, err := c.job.reserve(max(ours[0], theirs[0]))
	if err != nil {
		return nil, err
	}
	x, world, own := &inter{local: c, first: len(c.world)}, slices.Concat(c.world, others), c.rank
	if others[0] < c.world[0] {
		x.first, world, own = 0, slices.Concat(others, c.world), len(others)+c.rank
	}
	x.out, x.in = make([]schedule.Block, len(world)), make([]schedule.Block, len(world))
	if x.union, err = newComm(c.job, c.options, context, world, own); err != nil {
		return nil, err
	}
	between := &Comm{
		job: c.job, dev: c.dev, now: c.now, engine: c.engine, context: context, rank: c.rank, world: others,
		runner: x.union.runner, options: c.options, inter: x, local: make([]int, c.dev.Size()),
	}
	for rank, w := range others {
		between.local[w] = rank
	}
	return between, between.confine()
}

// Divide returns the inter-communicator between the first half of the ranks, of which there are two
// or more, and the others. Each call returns the same, until that is closed; closing c closes it.
func (c *Comm) Divide() (*Comm, error) {
	if c.halves != nil && c.halves.world != nil {
		return c.halves, nil
	}
	bridge, err := c.Dup() // messages of c may match those of NewInter
	if err != nil {
		return nil, err
	}
	first, color, other := c.Size()/2, 0, c.Size()/2
	if c.rank >= first {
		color, other = 1, 0
	}
	group, err := c.Split(color, c.rank)
	if err != nil {
		return nil, cmp.Or(err, bridge.Close())
	}
	c.halves, err = NewInter(group, 0, bridge, other, 0)
	return c.halves, cmp.Or(err, group.Close(), bridge.Close())
}

// Remote returns the other group of an inter-communicator, by ranks of the device. It is empty for
// other communicators. Group, Rank and Size describe the group of this rank.
func (c *Comm) Remote() Group {
	if c.inter == nil {
		return Group{}
	}
	return Group{slices.Clone(c.world)}
}

// Merge returns a communicator of both groups of an inter-communicator. The group whose ranks pass
// false comes first.
func (c *Comm) Merge(high bool) (*Comm, error) {
	switch {
	case c.world == nil:
		return nil, ErrClosed
	case c.inter == nil:
		return nil, ErrNotInter
	case high:
		return c.inter.union.Split(0, 1)
	}
	return c.inter.union.Split(0, 0)
}

// do runs the operation of a call.
func (x *inter) do(call *schedule.Call) error {
	s, local := call.Shape, x.local
	if s.InPlace && len(call.Recv) > 0 || s.SendBlocks != nil || s.RecvBlocks != nil {
		return ErrInter
	}
	clear(x.out)
	clear(x.in)
	switch s.Kind {
	case schedule.Barrier:
		return Barrier(x.union)
	case schedule.Bcast:
		return x.bcast(call.Recv, s.Elem, s.Root)
	case schedule.Allgather, schedule.Alltoall:
		for i := range len(x.out) - len(local.world) {
			x.in[x.first+i] = schedule.Block{Off: i * s.Bytes, Len: s.Bytes}
			x.out[x.first+i] = x.in[x.first+i]
			if s.Kind == schedule.Allgather {
				x.out[x.first+i].Off = 0
			}
		}
		return x.exchange(s.Elem, call.Send, call.Recv)
	case schedule.Allreduce:
		return x.allreduce(call.Send, call.Recv, s.Elem, call.Op)
	}
	return ErrInter
}

// exchange sends and receives the blocks x.out and x.in, by ranks of union. A block of another
// length than its receiver expects is a *coll.MismatchError.
func (x *inter) exchange(elem int, send, recv []byte) error {
	x.union.begin(schedule.Alltoall, elem, 0, send, recv)
	x.union.shape.SendBlocks, x.union.shape.RecvBlocks = x.out, x.in
	return x.union.do(nil)
}

// bcast sends data of the root to rank 0 of the other group, which passes it on.
func (x *inter) bcast(data []byte, elem, root int) error {
	switch {
	case root == Root:
		x.out[x.first].Len = len(data)
	case root != ProcNull && x.local.rank == 0:
		x.in[x.first+root].Len = len(data)
	}
	if err := x.exchange(elem, data, data); err != nil || root == Root || root == ProcNull {
		return err
	}
	return Bcast(x.local, data, 0)
}

// allreduce reduces to rank 0 of each group; these exchange the results and pass them on.
func (x *inter) allreduce(send, recv []byte, elem int, o *op.Op) error {
	local := x.local
	var ours []byte
	if local.rank == 0 {
		ours = local.pool.take(len(send))
		defer local.pool.give(ours)
	}
	local.begin(schedule.Reduce, elem, len(send), send, ours)
	local.reduces(o)
	if err := local.do(nil); err != nil {
		return err
	}
	if local.rank == 0 {
		x.out[x.first].Len, x.in[x.first].Len = len(send), len(send)
	}
	if err := x.exchange(elem, ours, recv); err != nil {
		return err
	}
	return Bcast(local, recv, 0)
}

// close closes the communicators under an inter-communicator.
func (x *inter) close() error { return cmp.Or(x.union.Close(), x.local.Close()) }
