package coll

import "gobench/comm/schedule"

func bcastKnomial() Algorithm {
	return Algorithm{
		Name: "knomial", Kind: schedule.Bcast,
		Source: "k-nomial trees; Open MPI, MPICH",
		About:  "tree of depth log_k(p), k - 1 children in each round",
		Param:  "the radix k", Default: 4, Values: []int{3, 4, 8},
		Build: func(b *schedule.Builder, k int) {
			knomialTree(b.Rank, b.Root, b.Ranks, k).down(b, b.RecvBuf())
		},
	}
}
