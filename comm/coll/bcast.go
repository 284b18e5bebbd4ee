package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func bcasts() []Algorithm {
	return []Algorithm{
		bcast("binomial", "the field's common tree; MPICH", "binomial tree", binomialBcast),
		bcast("flat", "F-MPJ figure 5, bFT", "the root sends to one rank after the other", flatBcast),
		bcast("flat-nb", "F-MPJ figure 5, nbFT", "the root sends to all ranks at once", flatNonBlockingBcast),
		bcast("four-ary", "thesis chapter 5 table 2, bFaTBcast", "tree with four children each", fourAryBcast),
		bcast("mst", "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTBcast; F-MPJ table 1", "minimum spanning tree: halves the range of ranks", func(b *schedule.Builder) { mstBcast(b, b.RecvBuf(), b.Root) }),
		bcastKnomial(),
		bcast("scatter-ring", "F-MPJ table 1, MSTScatter+BKTAllgather; van de Geijn", "MST scatter, then ring allgather", scatterRingBcast),
		bcastScatterDoubling(),
		bcastChain(),
		bcastBinary(),
		twoLevels(schedule.Bcast, "bcast between hosts, then inside each host", twoLevelBcast),
		manyLeaders(schedule.Bcast, "scatter on the root's host, bcasts of parts between hosts, allgather inside each host", multiLeaderBcast),
		inMemory(schedule.Bcast, "copy", "the root copies in, all others copy out", shared.Bcast),
	}
}

func bcast(name, source, about string, build func(b *schedule.Builder)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.Bcast, Source: source, About: about,
		Build: func(b *schedule.Builder, _ int) { build(b) },
	}
}

func binomialBcast(b *schedule.Builder) {
	knomialTree(b.Rank, b.Root, b.Ranks, 2).down(b, b.RecvBuf())
}

func flatBcast(b *schedule.Builder) {
	flatTree(b.Rank, b.Root, b.Ranks).downInTurn(b, b.RecvBuf())
}

func flatNonBlockingBcast(b *schedule.Builder) {
	flatTree(b.Rank, b.Root, b.Ranks).down(b, b.RecvBuf())
}

func fourAryBcast(b *schedule.Builder) {
	karyTree(b.Rank, b.Root, b.Ranks, 4).downInTurn(b, b.RecvBuf())
}
