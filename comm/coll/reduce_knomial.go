package coll

import (
	"slices"

	"gobench/comm/schedule"
)

func reduceKnomial() Algorithm {
	return Algorithm{
		Name: "knomial", Kind: schedule.Reduce,
		Source: "k-nomial trees; Open MPI, MPICH",
		About:  "tree of depth log_k(p), k - 1 vectors to combine in each round",
		Param:  "the radix k", Default: 4, Values: []int{3, 4, 8},
		Build: knomialReduce,
	}
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
