package coll

import "gobench/comm/schedule"

// bruckAllgather collects blocks in scratch, in the order of ranks from this one
// on: in round k it sends all it has to the rank 2^k before it, and gets as many
// from the one 2^k after it.
func bruckAllgather(b *schedule.Builder) {
	p := b.Ranks
	every := ranks(b.Rank, p, p)
	_, at := scratchFor(b, b.RecvBlock, every)
	b.Copy(at(b.Rank), b.RecvBlock(b.Rank))
	for have := 1; have < p; {
		n := min(have, p-have)
		out, _ := sideBySide(at, every[:n])
		in, _ := sideBySide(at, every[have:have+n])
		b.Exchange(out, (b.Rank-have+p)%p, in, (b.Rank+have)%p)
		have += n
	}
	for _, rank := range every[1:] {
		b.Copy(b.RecvBlock(rank), at(rank))
	}
}
