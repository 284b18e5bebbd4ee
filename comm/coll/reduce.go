package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func reduces() []Algorithm {
	return []Algorithm{
		reduce("binomial", "the field's common tree; MPICH", "binomial tree", func(b *schedule.Builder) { knomialReduce(b, 2) }),
		reduce("flat", "F-MPJ table 1 (MPJ Express), bFT", "the root receives one vector after the other", flatReduce),
		reduce("flat-nb", "thesis chapter 5 table 2, nbFT", "the root receives all vectors at once", flatNonBlockingReduce),
		reduce("mst", "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTReduce; F-MPJ table 1", "minimum spanning tree", mstReduceToRoot),
		reduceKnomial(),
		reduceRing(),
		reduceRabenseifner(),
		reduceChain(),
		twoLevels(schedule.Reduce, "reduce inside each host, then between hosts", twoLevelReduce),
		manyLeaders(schedule.Reduce, "reduce_scatter inside each host, reduces of parts between hosts, gather on the root's host", multiLeaderReduce),
		inMemory(schedule.Reduce, "root", "all others copy in, the root combines", shared.Reduce),
		inMemory(schedule.Reduce, "slices", "all copy in, each combines a slice, the root copies out", shared.ReduceSlices),
	}
}

func reduce(name, source, about string, build func(b *schedule.Builder)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.Reduce, Source: source, About: about,
		Build: func(b *schedule.Builder, _ int) { build(b) },
	}
}

// result returns memory for partial results: the Recv buffer at the root, scratch memory elsewhere.
func result(b *schedule.Builder) schedule.Mem {
	if b.Rank == b.Root {
		return b.RecvBuf()
	}
	return b.Scratch(b.Bytes)
}

func mstReduceToRoot(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), result(b))
	mstReduce(b, b.Root, sum)
	if b.Rank == b.Root {
		sum.settle()
	}
}

// flatReduce combines in the order of ranks.
func flatReduce(b *schedule.Builder) {
	if b.Rank != b.Root {
		b.Send(b.Input(), b.Root)
		return
	}
	room := b.Scratch(b.Bytes)
	inOrder(b, func(peer int) schedule.Mem {
		b.Recv(room, peer)
		return room
	})
}

func flatNonBlockingReduce(b *schedule.Builder) {
	if b.Rank != b.Root {
		b.Send(b.Input(), b.Root)
		return
	}
	rooms, arriving := make([]schedule.Mem, b.Ranks), make([]schedule.Slot, b.Ranks)
	for peer := range b.Ranks {
		if peer != b.Rank {
			rooms[peer] = b.Scratch(b.Bytes)
			arriving[peer] = b.Irecv(rooms[peer], peer)
		}
	}
	inOrder(b, func(peer int) schedule.Mem {
		b.Wait(arriving[peer])
		return rooms[peer]
	})
}

// inOrder combines the vectors of all ranks in rank order into the Recv buffer. next returns the
// vector of a peer, which stays valid until the next call.
func inOrder(b *schedule.Builder, next func(peer int) schedule.Mem) {
	own := b.Input()
	if b.InPlace && b.Rank > 0 {
		own = b.Scratch(b.Bytes)
		b.Copy(own, b.Input()) // the result overwrites the input
	}
	var sum *accumulator
	for peer := range b.Ranks {
		m := own
		if peer != b.Rank {
			m = next(peer)
		}
		switch {
		case sum != nil:
			sum.combine(m, false)
		case peer == b.Rank:
			sum = accumulate(b, m, b.RecvBuf())
		default:
			sum = accumulate(b, m, b.RecvBuf())
			sum.settle()
		}
	}
	sum.settle()
}
