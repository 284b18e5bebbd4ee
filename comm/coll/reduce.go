package coll

import (
	"slices"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func reduces() []Algorithm {
	reduce := messages(schedule.Reduce)
	return []Algorithm{
		reduce("binomial", "the field's common tree; MPICH", "binomial tree", func(b *schedule.Builder) { knomialReduce(b, 2) }),
		reduce("flat", "F-MPJ table 1 (MPJ Express), bFT", "the root receives one vector after the other", flatReduce),
		reduce("flat-nb", "thesis chapter 5 table 2, nbFT", "the root receives all vectors at once", flatNonBlockingReduce),
		reduce("mst", "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTReduce; F-MPJ table 1", "minimum spanning tree", mstReduceToRoot),
		{
			Name: "knomial", Kind: schedule.Reduce,
			Source: "k-nomial trees; Open MPI, MPICH",
			About:  "tree of depth log_k(p), k - 1 vectors to combine in each round",
			Param:  "the radix k", Default: 4, Values: []int{3, 4, 8},
			Build: knomialReduce,
		},
		reduce("ring-gather", "F-MPJ table 1, BKTReduce_scatter+MSTGather", "bucket reduce-scatter, then MST gather to the root", ringReduce).where(commutes),
		reduce("rabenseifner", "Rabenseifner 2004, \"Optimization of Collective Reduction Operations\"", "recursive halving, then a binomial gather to the root", rabenseifnerReduce),
		{
			Name: "chain", Kind: schedule.Reduce,
			Source: "pipelined chain; Open MPI",
			About:  "segments from rank to rank, combined on the way",
			Param:  "the bytes of a segment", Default: 16 << 10, Values: []int{8 << 10, 32 << 10, 128 << 10},
			Build: chainReduce,
		},
		twoLevels(schedule.Reduce, "reduce inside each host, then between hosts", twoLevelReduce),
		manyLeaders(schedule.Reduce, "reduce_scatter inside each host, reduces of parts between hosts, gather on the root's host", multiLeaderReduce),
		inMemory(schedule.Reduce, "root", "all others copy in, the root combines", shared.Reduce),
		inMemory(schedule.Reduce, "slices", "all copy in, each combines a slice, the root copies out", shared.ReduceSlices),
	}
}

// result returns memory for partial results: the Recv buffer at the root, scratch memory elsewhere.
func result(b *schedule.Builder) schedule.Mem {
	if b.Rank == b.Root {
		return b.RecvBuf()
	}
	return b.Scratch(b.Bytes)
}

func mstReduceToRoot(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), result(b))
	mstReduce(b, b.Root, sum)
	if b.Rank == b.Root {
		sum.settle()
	}
}

// flatReduce combines in the order of ranks.
func flatReduce(b *schedule.Builder) {
	if b.Rank != b.Root {
		b.Send(b.Input(), b.Root)
		return
	}
	room := b.Scratch(b.Bytes)
	inOrder(b, func(peer int) schedule.Mem {
		b.Recv(room, peer)
		return room
	})
}

func flatNonBlockingReduce(b *schedule.Builder) {
	if b.Rank != b.Root {
		b.Send(b.Input(), b.Root)
		return
	}
	rooms, arriving := make([]schedule.Mem, b.Ranks), make([]schedule.Slot, b.Ranks)
	for peer := range b.Ranks {
		if peer != b.Rank {
			rooms[peer] = b.Scratch(b.Bytes)
			arriving[peer] = b.Irecv(rooms[peer], peer)
		}
	}
	inOrder(b, func(peer int) schedule.Mem {
		b.Wait(arriving[peer])
		return rooms[peer]
	})
}

// inOrder combines the vectors of all ranks in rank order into the Recv buffer. next returns the
// vector of a peer, which stays valid until the next call.
func inOrder(b *schedule.Builder, next func(peer int) schedule.Mem) {
	own := b.Input()
	if b.InPlace && b.Rank > 0 {
		own = b.Scratch(b.Bytes)
		b.Copy(own, b.Input()) // the result overwrites the input
	}
	var sum *accumulator
	for peer := range b.Ranks {
		m := own
		if peer != b.Rank {
			m = next(peer)
		}
		switch {
		case sum != nil:
			sum.combine(m, false)
		case peer == b.Rank:
			sum = accumulate(b, m, b.RecvBuf())
		default:
			sum = accumulate(b, m, b.RecvBuf())
			sum.settle()
		}
	}
	sum.settle()
}

// knomialReduce emits a reduction up a k-nomial tree. A subtree is a range of ranks counted
// from the root of the tree. If the operator does not commute, that is rank 0, which sends the
// result to the root of the operation.
func knomialReduce(b *schedule.Builder, k int) {
	root := b.Root
	if !b.Commutative {
		root = 0
	}
	sum := accumulate(b, b.Input(), result(b))
	knomialCombine(b, sum, root, k)
	if root != b.Root {
		switch b.Rank {
		case root:
			b.Send(sum.value, b.Root)
		case b.Root:
			b.Recv(b.RecvBuf(), root)
			return
		}
	}
	if b.Rank == b.Root {
		sum.settle()
	}
}

// knomialCombine receives and combines the vectors of the children in the order of their ranges
// (the smallest subtrees first) and sends the result to the parent.
func knomialCombine(b *schedule.Builder, sum *accumulator, root, k int) {
	t := knomialTree(b.Rank, root, b.Ranks, k)
	index := func(rank int) int { return (rank - root + b.Ranks) % b.Ranks }
	slices.SortFunc(t.children, func(x, y int) int { return index(x) - index(y) })
	for _, c := range t.children {
		m := sum.incoming()
		b.Recv(m, c)
		sum.combine(m, false)
	}
	if t.parent >= 0 {
		b.Send(sum.value, t.parent)
	}
}

func ringReduce(b *schedule.Builder) {
	parts, to := cut(b, b.Input(), b.Ranks), cut(b, schedule.Mem{Buffer: schedule.RecvBuffer, Len: b.Bytes}, b.Ranks)
	mine := to(b.Rank)
	if b.Rank != b.Root { // only the root has memory for the result
		mine = b.Scratch(mine.Len)
	}
	ringReduceScatter(b, parts, mine)
	mstGather(b, b.Root, mine, to)
}

// rabenseifnerReduce emits the halving and then a gather by its rounds in reverse order: in each,
// the ranks that are not on the way to the collector send their part and are done. The collector is
// the root, or its partner if the root is idle.
func rabenseifnerReduce(b *schedule.Builder) {
	f := newFold(b)
	sum := accumulate(b, b.Input(), result(b))
	f.in(sum)
	h := reduceHalves(b, f, sum)
	collector := b.Root
	if b.Root < 2*f.rest && b.Root%2 == 0 {
		collector++
	}
	if f.me >= 0 {
		h.gatherTo(b, newNumber(f, collector))
	}
	if collector != b.Root {
		switch b.Rank {
		case collector:
			b.Send(h.whole(), b.Root)
		case b.Root:
			b.Recv(b.RecvBuf(), collector)
			return
		}
	}
	if b.Rank == b.Root {
		sum.settle()
	}
}

// newNumber returns the number of a rank that is not idle.
func newNumber(f fold, rank int) int {
	if rank < 2*f.rest {
		return rank / 2
	}
	return rank - f.rest
}

// whole returns the vector after its parts were gathered.
func (h *halves) whole() schedule.Mem { return h.sum.value }

// gatherTo emits the gather to one rank, given by its number.
func (h *halves) gatherTo(b *schedule.Builder, to int) {
	at := func(m schedule.Mem) schedule.Mem { return h.sum.value.At(m.Off, m.Len) }
	for i := len(h.path) - 2; i >= 0; i-- {
		d := 1 << i
		// After the rounds above this one the parts are where the higher bits agree with to.
		if h.f.me>>(i+1) != to>>(i+1) {
			return
		}
		peer := h.f.rank(h.f.me ^ d)
		low, high := split(h.path[i], b.Elem)
		mine, theirs := low, high
		if h.f.me&d != 0 {
			mine, theirs = high, low
		}
		if h.f.me&d != to&d {
			b.Send(at(mine), peer)
			return
		}
		b.Recv(at(theirs), peer)
	}
}

// chainReduce emits a chain that begins behind the root and ends at it, or, to keep the
// order of ranks, runs from the last rank to the first, which sends the result to the root.
func chainReduce(b *schedule.Builder, bytes int) {
	end := b.Root
	if !b.Commutative {
		end = 0
	}
	t := karyTree(b.Rank, end, b.Ranks, 1)
	input, slot := b.Input(), result(b)
	list := segments(b, input, bytes)
	var arriving, sent []schedule.Slot
	var room schedule.Mem
	if len(t.children) > 0 {
		room = b.Scratch(b.Bytes)
		for _, m := range list {
			arriving = append(arriving, b.Irecv(room.At(m.Off-input.Off, m.Len), t.children[0]))
		}
	}
	for i, m := range list {
		value, off := m, m.Off-input.Off
		if arriving != nil {
			b.Wait(arriving[i])
			value = slot.At(off, m.Len)
			b.Combine(value, m, room.At(off, m.Len))
		}
		if t.parent >= 0 {
			sent = append(sent, b.Isend(value, t.parent))
		}
	}
	b.Wait(sent...)
	switch {
	case end == b.Root && b.Rank == b.Root && arriving == nil:
		b.Copy(b.RecvBuf(), input)
	case end != b.Root && b.Rank == end:
		from := slot
		if arriving == nil {
			from = input
		}
		b.Send(from, b.Root)
	case end != b.Root && b.Rank == b.Root:
		b.Recv(b.RecvBuf(), end)
	}
}
