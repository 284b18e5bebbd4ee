package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func bcasts() []Algorithm {
	bcast := messages(schedule.Bcast)
	return []Algorithm{
		bcast("binomial", "the field's common tree; MPICH", "binomial tree", func(b *schedule.Builder) {
			knomialTree(b.Rank, b.Root, b.Ranks, 2).down(b, b.RecvBuf())
		}),
		bcast("flat", "F-MPJ figure 5, bFT", "the root sends to one rank after the other", func(b *schedule.Builder) {
			flatTree(b.Rank, b.Root, b.Ranks).downInTurn(b, b.RecvBuf())
		}),
		bcast("flat-nb", "F-MPJ figure 5, nbFT", "the root sends to all ranks at once", func(b *schedule.Builder) {
			flatTree(b.Rank, b.Root, b.Ranks).down(b, b.RecvBuf())
		}),
		bcast("four-ary", "thesis chapter 5 table 2, bFaTBcast", "tree with four children each", func(b *schedule.Builder) {
			karyTree(b.Rank, b.Root, b.Ranks, 4).downInTurn(b, b.RecvBuf())
		}),
		bcast("mst", "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTBcast; F-MPJ table 1", "minimum spanning tree: halves the range of ranks", func(b *schedule.Builder) { mstBcast(b, b.RecvBuf(), b.Root) }),
		{
			Name: "knomial", Kind: schedule.Bcast,
			Source: "k-nomial trees; Open MPI, MPICH",
			About:  "tree of depth log_k(p), k - 1 children in each round",
			Param:  "the radix k", Default: 4, Values: []int{3, 4, 8},
			Build: func(b *schedule.Builder, k int) { knomialTree(b.Rank, b.Root, b.Ranks, k).down(b, b.RecvBuf()) },
		},
		bcast("scatter-ring", "F-MPJ table 1, MSTScatter+BKTAllgather; van de Geijn", "MST scatter, then ring allgather", func(b *schedule.Builder) {
			ringAllgather(b, scattered(b))
		}),
		bcast("scatter-recursive-doubling", "Barnett et al. 1994; MPICH for medium vectors", "MST scatter, then allgather by recursive doubling", func(b *schedule.Builder) {
			at := scattered(b)
			doublingAllgather(b, at(b.Rank), at)
		}).where(powerOfTwoRanks),
		{
			Name: "chain", Kind: schedule.Bcast,
			Source: "pipelined chain; Open MPI",
			About:  "segments from rank to rank",
			Param:  "the bytes of a segment", Default: 16 << 10, Values: []int{8 << 10, 32 << 10, 128 << 10},
			Build: func(b *schedule.Builder, bytes int) { pipelined(b, karyTree(b.Rank, b.Root, b.Ranks, 1), bytes) },
		},
		{
			Name: "binary", Kind: schedule.Bcast,
			Source: "pipelined binary tree; Open MPI",
			About:  "segments down a tree with two children each",
			Param:  "the bytes of a segment", Default: 16 << 10, Values: []int{16 << 10, 64 << 10},
			Build: func(b *schedule.Builder, bytes int) { pipelined(b, karyTree(b.Rank, b.Root, b.Ranks, 2), bytes) },
		},
		twoLevels(schedule.Bcast, "bcast between hosts, then inside each host", twoLevelBcast),
		manyLeaders(schedule.Bcast, "scatter on the root's host, bcasts of parts between hosts, allgather inside each host", multiLeaderBcast),
		inMemory(schedule.Bcast, "copy", "the root copies in, all others copy out", shared.Bcast),
	}
}

// pipelined emits a broadcast of a vector down a tree in segments: the next one is received while
// this one is sent.
func pipelined(b *schedule.Builder, t tree, bytes int) {
	list := segments(b, b.RecvBuf(), bytes)
	var arriving, sent []schedule.Slot
	if t.parent >= 0 {
		for _, m := range list {
			arriving = append(arriving, b.Irecv(m, t.parent))
		}
	}
	for i, m := range list {
		if arriving != nil {
			b.Wait(arriving[i])
		}
		for _, c := range t.children {
			sent = append(sent, b.Isend(m, c))
		}
	}
	b.Wait(sent...)
}

// A broadcast of a long vector is a scatter and an allgather of its parts: every rank sends and
// receives about twice the vector, and the root no more than the others (van de Geijn).

// scattered emits a scatter of the vector and returns the layout of its parts.
func scattered(b *schedule.Builder) layout {
	at := cut(b, b.RecvBuf(), b.Ranks)
	for _, s := range mst(b.Rank, b.Root, b.Ranks) {
		m, _ := sideBySide(at, s.half) // parts of one vector always are
		if b.Rank == s.root {
			b.Send(m, s.other)
		} else {
			b.Recv(m, s.root)
		}
	}
	return at
}
