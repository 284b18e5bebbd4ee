package coll

import "gobench/comm/schedule"

// A tree holds the parent and the children of one rank in a tree of all ranks.
type tree struct {
	parent   int   // -1 at the root
	children []int // the largest subtree first
}

// flatTree returns the tree in which the root is the parent of all other ranks.
func flatTree(rank, root, p int) tree {
	if rank != root {
		return tree{parent: root}
	}
	t := tree{parent: -1}
	for i := 1; i < p; i++ {
		t.children = append(t.children, (root+i)%p)
	}
	return t
}

// karyTree returns the k-ary tree in which the children of index i, counted from the root, are
// k i + 1 ... k i + k.
func karyTree(rank, root, p, k int) tree {
	index := (rank - root + p) % p
	t := tree{parent: -1}
	if index > 0 {
		t.parent = (root + (index-1)/k) % p
	}
	for c := k*index + 1; c <= k*index+k && c < p; c++ {
		t.children = append(t.children, (root+c)%p)
	}
	return t
}

// knomialTree returns the k-nomial tree: the parent of an index, counted from the root and written
// in base k, has the lowest nonzero digit set to 0. The subtree of a rank is a range of ranks,
// counted from the root. k = 2 is the binomial tree; k is used as if it were in 2..p.
func knomialTree(rank, root, p, k int) tree {
	k = max(2, min(k, p)) // a power of a greater k might overflow
	index := (rank - root + p) % p
	t := tree{parent: -1}
	reach := 1 // of the subtree
	for reach < p && index%(reach*k) == 0 {
		reach *= k
	}
	if index > 0 {
		digit := index / reach % k
		t.parent = (index - digit*reach + root) % p
	}
	for step := reach / k; step > 0; step /= k {
		for d := 1; d < k; d++ {
			if c := index + d*step; c < p {
				t.children = append(t.children, (root+c)%p)
			}
		}
	}
	return t
}

// span returns the number of ranks in the binomial subtree of a rank.
func span(rank, root, p int) int {
	index := (rank - root + p) % p
	reach := 1
	for reach < p && index%(reach*2) == 0 {
		reach *= 2
	}
	return min(reach, p-index)
}

// down emits a broadcast of a vector down the tree.
func (t tree) down(b *schedule.Builder, m schedule.Mem) {
	if t.parent >= 0 {
		b.Recv(m, t.parent)
	}
	t.send(b, m)
}

// downInTurn emits a broadcast whose sends wait for each other.
func (t tree) downInTurn(b *schedule.Builder, m schedule.Mem) {
	if t.parent >= 0 {
		b.Recv(m, t.parent)
	}
	for _, c := range t.children {
		b.Send(m, c)
	}
}

// up emits messages from the leaves to the root, each sent once those of all children were
// received.
func (t tree) up(b *schedule.Builder, m schedule.Mem) {
	for i := len(t.children) - 1; i >= 0; i-- {
		b.Recv(m, t.children[i])
	}
	if t.parent >= 0 {
		b.Send(m, t.parent)
	}
}

// send sends to all children concurrently.
func (t tree) send(b *schedule.Builder, m schedule.Mem) {
	var sent []schedule.Slot
	for _, c := range t.children {
		sent = append(sent, b.Isend(m, c))
	}
	b.Wait(sent...)
}

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
