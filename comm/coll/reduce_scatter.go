package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func reduceScatters() []Algorithm {
	reduceScatter := messages(schedule.ReduceScatter)
	return []Algorithm{
		reduceScatter("mst", "F-MPJ table 1, MSTReduce+MSTScatterv", "MST reduce to rank 0, then MST scatter", mstReduceScatter),
		reduceScatter("flat", "F-MPJ table 1 (MPJ Express), thesis chapter 5 table 3, bFTReduce+nbFTScatterv", "rank 0 receives one vector after the other, then sends all blocks at once", flatReduceScatter),
		reduceScatter("binomial", "F-MPJ table 1 (MPJ/Ibis), BTReduce+bFTScatterv", "binomial reduce to rank 0, which then sends one block after the other", binomialReduceScatter),
		reduceScatter("ring", "F-MPJ table 1, BKTReduce_scatter", "bucket: p - 1 shifts around a ring", func(b *schedule.Builder) {
			own := ownSum(b)
			ringReduceScatter(b, inputBlock(b), own)
			b.Copy(b.RecvBlock(b.Rank), own)
		}).where(commutes),
		reduceScatter("ring-nb", "thesis chapter 5 table 2, nbBKT", "bucket with all receives posted before the first send", ringPostedReduceScatter).where(commutes),
		reduceScatter("pairwise", "the field's common exchange; MPICH for long vectors", "p - 1 rounds, each with one rank to send to and one to receive from", pairwiseReduceScatter).where(commutes),
		reduceScatter("recursive-halving", "F-MPJ table 1, BDE", "pairs exchange: the vector halves in each of log2 p rounds", halvingReduceScatter((*schedule.Builder).Exchange)).where(commutes),
		reduceScatter("recursive-halving-nb", "thesis chapter 5 table 2, nbBDE", "recursive halving with both sides of an exchange non-blocking", halvingReduceScatter(exchangeNonBlocking)).where(commutes),
		inMemory(schedule.ReduceScatter, "slices", "all copy in, each combines its block", shared.ReduceScatterSlices),
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

// flatReduceScatter combines at rank 0, in the order of ranks.
func flatReduceScatter(b *schedule.Builder) {
	if b.Rank > 0 {
		b.Send(b.Input(), 0)
		b.Recv(b.RecvBlock(b.Rank), 0)
		return
	}
	sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
	for peer := 1; peer < b.Ranks; peer++ {
		sum.receive(peer)
	}
	block := blocksOf(b, sum.value)
	var sent []schedule.Slot
	for peer := 1; peer < b.Ranks; peer++ {
		sent = append(sent, b.Isend(block(peer), peer))
	}
	b.Copy(b.RecvBlock(0), block(0))
	b.Wait(sent...)
}

// binomialReduceScatter combines up a binomial tree to rank 0, whose subtrees are ranges
// of ranks.
func binomialReduceScatter(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
	knomialCombine(b, sum, 0, 2)
	if b.Rank > 0 {
		b.Recv(b.RecvBlock(b.Rank), 0)
		return
	}
	block := blocksOf(b, sum.value)
	for peer := 1; peer < b.Ranks; peer++ {
		b.Send(block(peer), peer)
	}
	b.Copy(b.RecvBlock(0), block(0))
}

// blocksOf returns the layout of the blocks in a vector of the length of the input.
func blocksOf(b *schedule.Builder, vector schedule.Mem) layout {
	at, input := inputBlock(b), b.Input()
	return func(rank int) schedule.Mem {
		m := at(rank)
		return vector.At(m.Off-input.Off, m.Len)
	}
}

// ringReduceScatter emits the bucket algorithm: the partial result for each rank travels once
// around the ring, downwards, and every rank on the way combines its block with it. This rank's
// result is written to to, which may be its own block but must not overlap any other. Blocks are
// only read.
func ringReduceScatter(b *schedule.Builder, block layout, to schedule.Mem) {
	p := b.Ranks
	if p == 1 {
		b.Copy(to, block(0))
		return
	}
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	longest := 0
	for rank := range p {
		longest = max(longest, block(rank).Len)
	}
	rooms := [2]schedule.Mem{b.Scratch(longest), b.Scratch(longest)}
	out := block(next)
	for i := range p - 1 {
		mine := block((b.Rank + 2 + i) % p)
		in := rooms[i%2].At(0, mine.Len)
		b.Exchange(out, prev, in, next)
		out = in
		if i == p-2 {
			out = to
		}
		b.Combine(out, mine, in)
	}
}

// ringPostedReduceScatter posts all receives first.
func ringPostedReduceScatter(b *schedule.Builder) {
	p := b.Ranks
	block := inputBlock(b)
	if p == 1 {
		b.Copy(b.RecvBlock(b.Rank), block(0))
		return
	}
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	arriving, rooms := make([]schedule.Slot, p-1), make([]schedule.Mem, p-1)
	for i := range arriving {
		rooms[i] = b.Scratch(block((b.Rank + 2 + i) % p).Len)
		arriving[i] = b.Irecv(rooms[i], next)
	}
	var sent []schedule.Slot
	own := ownSum(b)
	out := block(next)
	for i := range arriving {
		sent = append(sent, b.Isend(out, prev))
		b.Wait(arriving[i])
		out = rooms[i]
		if i == p-2 {
			out = own
		}
		b.Combine(out, block((b.Rank+2+i)%p), rooms[i])
	}
	b.Wait(sent...)
	b.Copy(b.RecvBlock(b.Rank), own)
}

// halvingReduceScatter emits recursive halving: partners at a distance of half of the ranks
// exchange the blocks of each other's half, then at a quarter and so on. Ranks beyond a power of
// two are idle meanwhile.
func halvingReduceScatter(swap exchange) func(*schedule.Builder) {
	return func(b *schedule.Builder) {
		f := newFold(b)
		sum := accumulate(b, b.Input(), b.Scratch(b.Total()))
		f.in(sum)
		if f.me < 0 {
			b.Recv(b.RecvBlock(b.Rank), b.Rank+1)
			return
		}
		blocks := blocksOf(b, schedule.Mem{})
		// part returns the part of the vector that belongs to n numbers from first on.
		part := func(first, n int) schedule.Mem {
			from := f.rank(first)
			if first < f.rest {
				from--
			}
			m, last := blocks(from), blocks(f.rank(first+n-1))
			m.Len = last.Off + last.Len - m.Off
			return m
		}
		room := sum.incoming()
		first := 0
		for n := f.ranks / 2; n > 0; n /= 2 {
			keep, give := part(first, n), part(first+n, n)
			if f.me >= first+n {
				keep, give = give, keep
				first += n
			}
			in := room.At(keep.Off, keep.Len)
			peer := f.rank(f.me ^ n)
			swap(b, sum.value.At(give.Off, give.Len), peer, in, peer)
			b.Combine(sum.slot.At(keep.Off, keep.Len), sum.value.At(keep.Off, keep.Len), in)
			sum.value = sum.slot
		}
		at := blocksOf(b, sum.value)
		if f.paired() {
			b.Send(at(b.Rank-1), b.Rank-1)
		}
		b.Copy(b.RecvBlock(b.Rank), at(b.Rank))
	}
}
