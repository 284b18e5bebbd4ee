package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func reduceScatters() []Algorithm {
	return []Algorithm{
		reduceScatter("mst", "F-MPJ table 1, MSTReduce+MSTScatterv", "MST reduce to rank 0, then MST scatter", nil, mstReduceScatter),
		reduceScatter("flat", "F-MPJ table 1 (MPJ Express), thesis chapter 5 table 3, bFTReduce+nbFTScatterv", "rank 0 receives one vector after the other, then sends all blocks at once", nil, flatReduceScatter),
		reduceScatter("binomial", "F-MPJ table 1 (MPJ/Ibis), BTReduce+bFTScatterv", "binomial reduce to rank 0, which then sends one block after the other", nil, binomialReduceScatter),
		reduceScatter("ring", "F-MPJ table 1, BKTReduce_scatter", "bucket: p - 1 shifts around a ring", commutes, func(b *schedule.Builder) {
			own := ownSum(b)
			ringReduceScatter(b, inputBlock(b), own)
			b.Copy(b.RecvBlock(b.Rank), own)
		}),
		reduceScatter("ring-nb", "thesis chapter 5 table 2, nbBKT", "bucket with all receives posted before the first send", commutes, ringPostedReduceScatter),
		reduceScatter("pairwise", "the field's common exchange; MPICH for long vectors", "p - 1 rounds, each with one rank to send to and one to receive from", commutes, pairwiseReduceScatter),
		reduceScatter("recursive-halving", "F-MPJ table 1, BDE", "pairs exchange: the vector halves in each of log2 p rounds", commutes, halvingReduceScatter((*schedule.Builder).Exchange)),
		reduceScatter("recursive-halving-nb", "thesis chapter 5 table 2, nbBDE", "recursive halving with both sides of an exchange non-blocking", commutes, halvingReduceScatter(exchangeNonBlocking)),
		inMemory(schedule.ReduceScatter, "slices", "all copy in, each combines its block", shared.ReduceScatterSlices),
	}
}

func reduceScatter(name, source, about string, fits func(*schedule.Shape) string, build func(b *schedule.Builder)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.ReduceScatter, Source: source, About: about, Fits: fits,
		Build: func(b *schedule.Builder, _ int) { build(b) },
	}
}

// inputBlock returns the layout of the blocks in this rank's input vector.
func inputBlock(b *schedule.Builder) layout {
	input := b.Input()
	offsets := make([]int, b.Ranks)
	n := 0
	for rank := range offsets {
		offsets[rank] = n
		n += b.Len(rank)
	}
	return func(rank int) schedule.Mem { return input.At(offsets[rank], b.Len(rank)) }
}

// ownSum returns memory in which this rank's block may be accumulated: its block of Recv, or
// scratch memory in place, where Recv begins with the block of rank 0, which is still to be sent.
func ownSum(b *schedule.Builder) schedule.Mem {
	own := b.RecvBlock(b.Rank)
	if b.InPlace && b.Rank > 0 {
		return b.Scratch(own.Len)
	}
	return own
}

func mstReduceScatter(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
	mstReduce(b, 0, sum)
	mstScatter(b, 0, blocksOf(b, sum.value), b.RecvBlock(b.Rank))
}

func pairwiseReduceScatter(b *schedule.Builder) {
	p := b.Ranks
	blocks := inputBlock(b)
	sum := accumulate(b, blocks(b.Rank), ownSum(b))
	for i := 1; i < p; i++ {
		to, from := (b.Rank+i)%p, (b.Rank-i+p)%p
		m := sum.incoming()
		b.Exchange(blocks(to), to, m, from)
		sum.combine(m, false)
	}
	b.Copy(b.RecvBlock(b.Rank), sum.value)
}
