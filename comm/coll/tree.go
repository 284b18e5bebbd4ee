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
