package coll

import "gobench/comm/schedule"

func allgatherDoubling() Algorithm {
	a := allgather("bde", "F-MPJ figure 10, BDEAllgather", "bidirectional exchange (recursive doubling): blocks double in each of log2 p rounds",
		func(b *schedule.Builder) { doublingAllgather(b, b.RecvBlock) })
	a.Fits = powerOfTwoRanks
	return a
}

// doublingAllgather: before round k a rank has the blocks of the aligned range of
// 2^k ranks to which it belongs, which it exchanges with the range beside.
func doublingAllgather(b *schedule.Builder, at layout) {
	for d := 1; d < b.Ranks; d *= 2 {
		peer := b.Rank ^ d
		mine, theirs := ranks(b.Rank&^(d-1), d, b.Ranks), ranks(peer&^(d-1), d, b.Ranks)
		m, place := landing(b, at, theirs)
		b.Exchange(pack(b, at, mine), peer, m, peer)
		place()
	}
}
