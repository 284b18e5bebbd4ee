package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func allgathers() []Algorithm {
	return []Algorithm{
		allgather("ring", "F-MPJ figure 9, BKTAllgather", "bucket: p - 1 shifts around a ring", func(b *schedule.Builder) { ringAllgather(b, b.RecvBlock) }),
		allgather("ring-nb", "F-MPJ figure 8, nbBKT", "bucket with all receives posted, and a barrier, before the first send", ringPostedAllgather),
		allgather("ring-double", "F-MPJ table 1 (MPJ/Ibis), BKT double ring (not described there)", "shifts both ways around the ring at once, half of the blocks each way", doubleRingAllgather),
		allgather("flat-nb", "F-MPJ table 1 (MPJ Express), nbFT", "all ranks send to all at once", func(b *schedule.Builder) {
			exchangeAtOnce(b, func(int) schedule.Mem { return b.Input() })
		}),
		allgather("mst", "F-MPJ table 1, MSTGather+MSTBcast", "MST gather to rank 0, then MST bcast", mstAllgather),
		allgather("flat-flat", "thesis chapter 5 table 5, nbFTGather+nbFTBcast", "rank 0 receives from all at once, then sends to all at once", flatGatherThen(toAllAtOnce)),
		allgather("flat-mst", "thesis chapter 5 table 5, nbFTGather+MSTBcast", "rank 0 receives from all at once, then MST bcast", flatGatherThen(mstFromFirst)),
		allgather("binomial", "thesis chapter 5 table 2, BT", "binomial gather to rank 0, then binomial bcast", binomialAllgather),
		messages(schedule.Allgather)("recursive-doubling", "F-MPJ figure 10, BDEAllgather", "pairs exchange all they have: blocks double in each of log2 p rounds", func(b *schedule.Builder) {
			doublingAllgather(b, b.Input(), b.RecvBlock)
		}).where(powerOfTwoRanks),
		allgather("neighbor", "Chen, Zhang, Zhang, Yuan 2005", "neighbours exchange two blocks at a time, left and right in turn", neighborAllgather).where(evenRanks),
		allgather("bruck", "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", "ceil(log2 p) rounds for any p, then a rotation", bruckAllgather),
		twoLevels(schedule.Allgather, "gather inside each host, allgather between hosts, bcast inside each host", twoLevelAllgather),
		inMemory(schedule.Allgather, "copy", "all copy in and out", shared.Allgather),
	}
}

// allgather makes an algorithm that copies this rank's block to Recv and then runs build.
func allgather(name, source, about string, build func(b *schedule.Builder)) Algorithm {
	return messages(schedule.Allgather)(name, source, about, func(b *schedule.Builder) {
		b.Copy(b.RecvBlock(b.Rank), b.Input())
		build(b)
	})
}

// gathered returns one piece of memory in which rank 0 collects all blocks, so that they can be
// broadcast as one message, and a function that emits the copies to their places.
func gathered(b *schedule.Builder) (all schedule.Mem, at layout, slot func()) {
	every := ranks(0, b.Ranks, b.Ranks)
	if all, ok := sideBySide(b.RecvBlock, every); ok {
		return all, b.RecvBlock, func() {}
	}
	all, at = scratchFor(b, b.RecvBlock, every)
	return all, at, func() {
		for _, rank := range every {
			b.Copy(b.RecvBlock(rank), at(rank))
		}
	}
}

func mstAllgather(b *schedule.Builder) {
	all, at, slot := gathered(b)
	mstGather(b, 0, b.RecvBlock(b.Rank), at)
	mstBcast(b, all, 0)
	slot()
}

// flatGatherThen makes an allgather whose blocks rank 0 collects concurrently and bcast
// distributes.
func flatGatherThen(bcast func(*schedule.Builder, schedule.Mem)) func(*schedule.Builder) {
	return func(b *schedule.Builder) {
		all, at, slot := gathered(b)
		collectAtOnce(b, 0, b.RecvBlock(b.Rank), at)
		bcast(b, all)
		slot()
	}
}

// toAllAtOnce broadcasts m from rank 0, which sends it to all ranks concurrently.
func toAllAtOnce(b *schedule.Builder, m schedule.Mem) {
	flatTree(b.Rank, 0, b.Ranks).down(b, m)
}

// mstFromFirst broadcasts m from rank 0 along the minimum spanning tree.
func mstFromFirst(b *schedule.Builder, m schedule.Mem) { mstBcast(b, m, 0) }

func binomialAllgather(b *schedule.Builder) {
	all, at, slot := gathered(b)
	binomialGather(b, 0, b.RecvBlock(b.Rank), at)
	knomialTree(b.Rank, 0, b.Ranks, 2).down(b, all)
	slot()
}

// ringAllgather shifts blocks around a ring, p - 1 times: the bucket algorithm.
// This rank's block is in its place.
func ringAllgather(b *schedule.Builder, at layout) {
	p := b.Ranks
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	for i := range p - 1 {
		b.Exchange(at((b.Rank-i+p)%p), next, at((b.Rank-i-1+p)%p), prev)
	}
}

// ringPostedAllgather posts all receives before the first send, so that no block
// arrives before its receive (F-MPJ figure 8). F-MPJ has a barrier between the two; an empty
// message from the neighbour to which the blocks go is sufficient.
func ringPostedAllgather(b *schedule.Builder) {
	p := b.Ranks
	if p == 1 {
		return
	}
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	ready := b.Irecv(nothing, next)
	var arriving, sent []schedule.Slot
	for i := range p - 1 {
		arriving = append(arriving, b.Irecv(b.RecvBlock((b.Rank-i-1+p)%p), prev))
	}
	b.Send(nothing, prev)
	b.Wait(ready)
	for i := range p - 1 {
		sent = append(sent, b.Isend(b.RecvBlock((b.Rank-i+p)%p), next))
		b.Wait(arriving[i])
	}
	b.Wait(sent...)
}

// doubleRingAllgather shifts blocks up and down the ring at the same time: p/2 rounds instead
// of p - 1, for full-duplex links.
func doubleRingAllgather(b *schedule.Builder) {
	p := b.Ranks
	next, prev := (b.Rank+1)%p, (b.Rank-1+p)%p
	at := func(rank int) schedule.Mem { return b.RecvBlock((rank + p) % p) }
	for i := range p / 2 {
		under := []schedule.Slot{b.Irecv(at(b.Rank-i-1), prev)}
		down := i < (p-1)/2 // for even p the block opposite comes one way only
		if down {
			under = append(under, b.Irecv(at(b.Rank+i+1), next))
		}
		under = append(under, b.Isend(at(b.Rank-i), next))
		if down {
			under = append(under, b.Isend(at(b.Rank+i), prev))
		}
		b.Wait(under...)
	}
}

// neighborAllgather exchanges pairs of blocks in p/2 rounds: even ranks begin with the neighbour
// above, odd ranks with the one below. The blocks received from one neighbour are sent to the other
// in the next round.
func neighborAllgather(b *schedule.Builder) {
	p := b.Ranks
	up, down := (b.Rank+1)%p, (b.Rank-1+p)%p
	first, second, sign := up, down, 1
	if b.Rank%2 == 1 {
		first, second, sign = down, up, -1
	}
	b.Exchange(b.RecvBlock(b.Rank), first, b.RecvBlock(first), first)
	pair := b.Rank &^ 1 // the even rank of the pair of blocks to be sent next
	for round := 1; round < p/2; round++ {
		peer := second
		if round%2 == 0 {
			peer = first
		}
		// The pair that the peer has got last: it moves away by two pairs a round.
		var in int
		if round%2 == 1 {
			in = pair - sign*2*round
		} else {
			in = pair + sign*2*round
		}
		in = ((in % p) + p) % p
		exchangePair(b, pair, in, peer)
		pair = in
	}
}

// exchangePair sends the blocks of the two ranks of a pair and receives those of another.
func exchangePair(b *schedule.Builder, out, in, peer int) {
	m, slot := landing(b, b.RecvBlock, ranks(in, 2, b.Ranks))
	b.Exchange(pack(b, b.RecvBlock, ranks(out, 2, b.Ranks)), peer, m, peer)
	slot()
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
