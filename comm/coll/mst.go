package coll

import "gobench/comm/schedule"

// The minimum spanning tree of Chan, Heimlich, Purkayastha, van de Geijn,
// "Collective communication: theory, practice, and experience" (2007): a range of ranks
// is halved; the root of the range and one rank of the other half, which is the root
// there, exchange a message; then the same within the halves. Depth is ceil(log2 p).

// mstStep is one message that a rank takes part in.
type mstStep struct {
	root, other int // of the range, and of the half in which root is not
	half        []int
}

// mst lists the steps of a rank from the whole range down.
func mst(rank, root, p int) []mstStep {
	var steps []mstStep
	for left, right := 0, p-1; left < right; {
		middle := (left + right) / 2
		other, half := left, ranks(left, middle-left+1, p)
		if root <= middle {
			other, half = right, ranks(middle+1, right-middle, p)
		}
		if rank == root || rank == other {
			steps = append(steps, mstStep{root, other, half})
		}
		if near := rank <= middle; near != (root <= middle) {
			root = other
		}
		if rank <= middle {
			right = middle
		} else {
			left = middle + 1
		}
	}
	return steps
}

// mstBcast emits a broadcast of m.
func mstBcast(b *schedule.Builder, m schedule.Mem, root int) {
	for _, s := range mst(b.Rank, root, b.Ranks) {
		if b.Rank == s.root {
			b.Send(m, s.other)
		} else {
			b.Recv(m, s.root)
		}
	}
}

// mstScatter emits a scatter from the layout of the root, whose lengths are the same on all ranks.
// Every other rank receives its own block to own, and the blocks of its subtree to scratch memory.
func mstScatter(b *schedule.Builder, root int, from layout, own schedule.Mem) {
	at := from
	for _, s := range mst(b.Rank, root, b.Ranks) {
		if b.Rank == s.root {
			b.Send(pack(b, at, s.half), s.other)
			continue
		}
		if len(s.half) == 1 {
			b.Recv(own, s.root)
			return
		}
		var all schedule.Mem
		all, at = scratchFor(b, from, s.half)
		b.Recv(all, s.root)
	}
	b.Copy(own, at(b.Rank))
}

// mstGather emits a gather of the blocks own into the layout of the root, whose lengths are the
// same on all ranks.
func mstGather(b *schedule.Builder, root int, own schedule.Mem, to layout) {
	steps := mst(b.Rank, root, b.Ranks)
	at := to
	if b.Rank != root {
		mine := steps[0] // the message in which this rank is not the root
		if len(mine.half) == 1 {
			b.Send(own, mine.root)
			return
		}
		_, at = scratchFor(b, to, mine.half)
	}
	b.Copy(at(b.Rank), own)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if b.Rank == s.other {
			b.Send(pack(b, at, s.half), s.root)
			return
		}
		m, slot := landing(b, at, s.half)
		b.Recv(m, s.other)
		slot()
	}
}

// mstReduce emits a reduction of the vectors of all ranks to the root. It keeps the order of ranks,
// because every half is a range of them.
func mstReduce(b *schedule.Builder, root int, sum *accumulator) {
	steps := mst(b.Rank, root, b.Ranks)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if b.Rank == s.other {
			b.Send(sum.value, s.root)
			return
		}
		sum.receive(s.other)
	}
}
