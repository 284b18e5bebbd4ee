package coll

import "gobench/comm/schedule"

func allgatherDoubling() Algorithm {
	return Algorithm{
		Name: "recursive-doubling", Kind: schedule.Allgather, Source: "F-MPJ figure 10, BDEAllgather",
		About: "pairs exchange all they have: blocks double in each of log2 p rounds",
		Build: func(b *schedule.Builder, _ int) { doublingAllgather(b, b.Input(), b.RecvBlock) },
		Fits:  powerOfTwoRanks,
	}
}

// doublingAllgather emits recursive doubling: before round k a rank has the blocks of its aligned
// range of 2^k ranks, which it exchanges for those of the adjacent range. own is this rank's block.
// It is sent before it is copied to its place, because reading freshly written lines from the cache
// of another core is slow (docs/notes/smem.md).
func doublingAllgather(b *schedule.Builder, own schedule.Mem, at layout) {
	if b.Ranks == 1 {
		b.Copy(at(b.Rank), own)
	}
	for d := 1; d < b.Ranks; d *= 2 {
		peer := b.Rank ^ d
		mine, theirs := ranks(b.Rank&^(d-1), d, b.Ranks), ranks(peer&^(d-1), d, b.Ranks)
		m, slot := landing(b, at, theirs)
		out := own
		if d > 1 {
			out = pack(b, at, mine)
		}
		b.Exchange(out, peer, m, peer)
		slot()
		if d == 1 {
			b.Copy(at(b.Rank), own)
		}
	}
}
