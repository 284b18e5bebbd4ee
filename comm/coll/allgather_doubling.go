package coll

import "gobench/comm/schedule"

func allgatherDoubling() Algorithm {
	a := allgather("recursive-doubling", "F-MPJ figure 10, BDEAllgather", "pairs exchange all they have: blocks double in each of log2 p rounds",
		func(b *schedule.Builder) { doublingAllgather(b, b.RecvBlock) })
	a.Fits = powerOfTwoRanks
	return a
}

// doublingAllgather emits recursive doubling: before round k a rank has the blocks of its aligned
// range of 2^k ranks, which it exchanges for those of the adjacent range.
func doublingAllgather(b *schedule.Builder, at layout) {
	for d := 1; d < b.Ranks; d *= 2 {
		peer := b.Rank ^ d
		mine, theirs := ranks(b.Rank&^(d-1), d, b.Ranks), ranks(peer&^(d-1), d, b.Ranks)
		m, place := landing(b, at, theirs)
		b.Exchange(pack(b, at, mine), peer, m, peer)
		place()
	}
}
