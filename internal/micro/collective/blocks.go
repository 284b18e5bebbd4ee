package collective

import (
	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
)

// blocksOp is one rank's part of an operation that moves blocks of bytes.
type blocksOp struct {
	operation
	send, recv side
}

// side holds the blocks that a rank sends to, or receives from, each rank. If it sends the same
// block to all, or sends or receives one block, only its own place has a block.
type side struct {
	data           []byte
	counts, displs []int    // of the blocks of all ranks
	blocks         [][]byte // in data
}

// newSide allocates blocks of the given lengths, or in room bytes only the one of rank own, if that
// is not -1.
func newSide(env *bench.Env, counts []int, own, room int) side {
	displs, all := offsets(counts)
	s := side{counts: counts, displs: displs, blocks: make([][]byte, len(counts))}
	if own >= 0 {
		s.data = env.Alloc(room)[:counts[own]]
		s.blocks[own] = s.data
		return s
	}
	s.data = env.Alloc(all)
	for rank, at := range s.displs {
		s.blocks[rank] = s.data[at:][:counts[rank]]
	}
	return s
}

func newBlocks(env *bench.Env, kind schedule.Kind, o Options) bench.Op {
	me, ranks, one := env.Rank(), env.Size(), env.Bytes
	d := equal
	if o.Distribution != nil {
		d, one = o.Distribution, env.Bytes*ranks // a block may be as long as all
	}
	sent, received := d.Counts(kind, me, env.Bytes, ranks)
	from, to := -1, -1 // the place of the only block
	switch kind {
	case schedule.Gather, schedule.Allgather:
		from = me
	case schedule.Scatter:
		to = me
	}
	b := &blocksOp{operation: newOperation(env, kind, o), send: newSide(env, sent, from, one), recv: newSide(env, received, to, one)}
	b.call(o.Distribution != nil)
	return b
}

// call sets the calls of package comm, those of the vector forms for uneven blocks.
func (b *blocksOp) call(uneven bool) {
	c, send, recv := b.c, b.send, b.recv
	switch {
	case uneven && b.kind == schedule.Gather:
		b.do = func(root int) error { return comm.Gatherv(c, send.data, recv.data, recv.counts, recv.displs, root) }
		b.start = func(root int) (comm.Request, error) {
			return comm.Igatherv(c, send.data, recv.data, recv.counts, recv.displs, root)
		}
	case uneven && b.kind == schedule.Scatter:
		b.do = func(root int) error { return comm.Scatterv(c, send.data, send.counts, send.displs, recv.data, root) }
		b.start = func(root int) (comm.Request, error) {
			return comm.Iscatterv(c, send.data, send.counts, send.displs, recv.data, root)
		}
	case uneven && b.kind == schedule.Allgather:
		b.do = func(int) error { return comm.Allgatherv(c, send.data, recv.data, recv.counts, recv.displs) }
		b.start = func(int) (comm.Request, error) {
			return comm.Iallgatherv(c, send.data, recv.data, recv.counts, recv.displs)
		}
	case uneven:
		b.do = func(int) error {
			return comm.Alltoallv(c, send.data, send.counts, send.displs, recv.data, recv.counts, recv.displs)
		}
		b.start = func(int) (comm.Request, error) {
			return comm.Ialltoallv(c, send.data, send.counts, send.displs, recv.data, recv.counts, recv.displs)
		}
	case b.kind == schedule.Gather:
		b.do = func(root int) error { return comm.Gather(c, given(&b.operation, send.data, root), recv.data, root) }
		b.start = func(root int) (comm.Request, error) {
			return comm.Igather(c, given(&b.operation, send.data, root), recv.data, root)
		}
	case b.kind == schedule.Scatter:
		b.do = func(root int) error { return comm.Scatter(c, send.data, given(&b.operation, recv.data, root), root) }
		b.start = func(root int) (comm.Request, error) {
			return comm.Iscatter(c, send.data, given(&b.operation, recv.data, root), root)
		}
	case b.kind == schedule.Allgather:
		b.do = func(root int) error { return comm.Allgather(c, given(&b.operation, send.data, root), recv.data) }
		b.start = func(root int) (comm.Request, error) {
			return comm.Iallgather(c, given(&b.operation, send.data, root), recv.data)
		}
	default:
		b.do = func(root int) error { return comm.Alltoall(c, given(&b.operation, send.data, root), recv.data) }
		b.start = func(root int) (comm.Request, error) {
			return comm.Ialltoall(c, given(&b.operation, send.data, root), recv.data)
		}
	}
}

// Prepare fills the send buffers of all ranks: any may become the root.
func (b *blocksOp) Prepare(iteration uint64, _ bool) {
	me := b.c.Rank()
	for rank := range b.c.Size() {
		from := rank
		if b.kind == schedule.Scatter {
			from = b.root
		}
		b.stream(me, rank).Fill(b.send.blocks[rank], iteration)
		b.stream(from, me).Spoil(b.recv.blocks[rank], iteration)
		if b.inPlace && b.kind != schedule.Scatter {
			copy(b.recv.blocks[rank], b.send.blocks[rank])
		}
	}
	b.prepared()
}

// stream returns the data of a block: one for each receiver where a rank sends several.
func (b *blocksOp) stream(from, to int) bench.Stream {
	if b.kind == schedule.Gather || b.kind == schedule.Allgather {
		to = 0
	}
	return bench.Stream{Rank: from, Slot: to}
}

// Check checks the received blocks. In place, an event of alltoall sends the blocks that the
// previous one received, so after two events each block is back at its origin; and the root of a
// scatter finds its block where it was.
func (b *blocksOp) Check(iteration uint64) *bench.DataError {
	me := b.c.Rank()
	if b.kind == schedule.Scatter {
		received := given(&b.operation, b.recv.data, b.last)
		if received == nil {
			received = b.send.blocks[me]
		}
		return match(received, b.stream(b.last, me), iteration)
	}
	if b.kind == schedule.Gather && b.last != me {
		return nil
	}
	for rank, block := range b.recv.blocks {
		s := b.stream(rank, me)
		if b.kind == schedule.Alltoall && b.inPlace && b.events%2 == 0 {
			s = b.stream(me, rank)
		}
		if defect := match(block, s, iteration); defect != nil {
			return defect
		}
	}
	return nil
}
