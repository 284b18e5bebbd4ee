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
		allgather("flat-nb", "F-MPJ table 1 (MPJ Express), nbFT", "all ranks send to all at once", flatNonBlockingAllgather),
		allgather("mst", "F-MPJ table 1, MSTGather+MSTBcast", "MST gather to rank 0, then MST bcast", mstAllgather),
		allgather("flat-flat", "thesis chapter 5 table 5, nbFTGather+nbFTBcast", "rank 0 receives from all at once, then sends to all at once", flatGatherThen(toAllAtOnce)),
		allgather("flat-mst", "thesis chapter 5 table 5, nbFTGather+MSTBcast", "rank 0 receives from all at once, then MST bcast", flatGatherThen(mstFromFirst)),
		allgather("binomial", "thesis chapter 5 table 2, BT", "binomial gather to rank 0, then binomial bcast", binomialAllgather),
		allgatherDoubling(),
		allgatherNeighbor(),
		allgather("bruck", "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", "ceil(log2 p) rounds for any p, then a rotation", bruckAllgather),
		twoLevels(schedule.Allgather, "gather inside each host, allgather between hosts, bcast inside each host", twoLevelAllgather),
		inMemory(schedule.Allgather, "copy", "all copy in and out", shared.Allgather),
	}
}

// allgather makes an algorithm that copies this rank's block to Recv and then runs build.
func allgather(name, source, about string, build func(b *schedule.Builder)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.Allgather, Source: source, About: about,
		Build: func(b *schedule.Builder, _ int) {
			b.Copy(b.RecvBlock(b.Rank), b.Input())
			build(b)
		},
	}
}

func flatNonBlockingAllgather(b *schedule.Builder) {
	var under []schedule.Slot
	for i := 1; i < b.Ranks; i++ {
		from := (b.Rank - i + b.Ranks) % b.Ranks
		under = append(under, b.Irecv(b.RecvBlock(from), from))
	}
	for i := 1; i < b.Ranks; i++ {
		under = append(under, b.Isend(b.Input(), (b.Rank+i)%b.Ranks))
	}
	b.Wait(under...)
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
