package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func allreduces() []Algorithm {
	return []Algorithm{
		allreduce("recursive-doubling", "F-MPJ table 1, BDE; Rabenseifner and Träff 2004 for any p", "pairs exchange the whole vector, at distances 1, 2, 4 ...", nil, doublingAllreduce((*schedule.Builder).Exchange)),
		allreduce("recursive-doubling-nb", "thesis chapter 5 table 2, nbBDE", "recursive doubling with both sides of an exchange non-blocking", nil, doublingAllreduce(exchangeNonBlocking)),
		allreduce("flat-nb", "thesis chapter 5 table 2, nbFT", "all ranks send to all at once and combine for themselves", nil, flatNonBlockingAllreduce),
		allreduce("mst", "F-MPJ table 1, MSTReduce+MSTBcast", "MST reduce to rank 0, then MST bcast", nil, mstAllreduce),
		allreduce("flat-flat", "thesis chapter 5 table 5, bFTReduce+nbFTBcast", "rank 0 receives one vector after the other, then sends the result to all at once", nil, flatReduceThen(toAllAtOnce)),
		allreduce("flat-mst", "thesis chapter 5 table 5, bFTReduce+MSTBcast", "rank 0 receives one vector after the other, then MST bcast", nil, flatReduceThen(mstFromFirst)),
		allreduce("binomial", "thesis chapter 5 table 2, BT", "binomial reduce to rank 0, then binomial bcast", nil, binomialAllreduce),
		allreduce("rabenseifner", "Rabenseifner 2004", "recursive halving, then recursive doubling: for long vectors", nil, rabenseifnerAllreduce),
		allreduce("ring", "F-MPJ table 1, BKTReduce_scatter+BKTAllgather; Patarasuk and Yuan 2009", "bucket reduce-scatter, then bucket allgather", commutes, ringAllreduce),
		allreduceSegmented(),
		twoLevels(schedule.Allreduce, "reduce inside each host, allreduce between hosts, bcast inside each host", twoLevelAllreduce),
		manyLeaders(schedule.Allreduce, "reduce_scatter inside each host, allreduces of parts between hosts, allgather inside each host", multiLeaderAllreduce),
		inMemory(schedule.Allreduce, "all", "all copy in, all combine everything", shared.Allreduce),
		inMemory(schedule.Allreduce, "slices", "all copy in, each combines a slice, all copy out", shared.AllreduceSlices),
	}
}

// allreduce makes an algorithm. Every allreduce must give all ranks bitwise identical results:
// either one rank combines and the others receive its result, or partners combine the same two
// values in the same order.
func allreduce(name, source, about string, fits func(*schedule.Shape) string, build func(b *schedule.Builder)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.Allreduce, Source: source, About: about, Fits: fits,
		Build: func(b *schedule.Builder, _ int) { build(b) },
	}
}

func doublingAllreduce(swap exchange) func(*schedule.Builder) {
	return func(b *schedule.Builder) {
		f := newFold(b)
		sum := accumulate(b, b.Input(), b.RecvBuf())
		f.in(sum)
		if f.me >= 0 {
			for d := 1; d < f.ranks; d *= 2 {
				peer, m := f.rank(f.me^d), sum.incoming()
				swap(b, sum.value, peer, m, peer)
				sum.combine(m, f.me&d != 0)
			}
			sum.settle()
		}
		f.out(b.RecvBuf())
	}
}

func flatNonBlockingAllreduce(b *schedule.Builder) {
	own := b.Input()
	if b.InPlace {
		own = b.Scratch(b.Bytes) // it is sent while the result is written
		b.Copy(own, b.Input())
	}
	rooms, arriving := make([]schedule.Mem, b.Ranks), make([]schedule.Slot, b.Ranks)
	var sent []schedule.Slot
	for i := 1; i < b.Ranks; i++ {
		peer := (b.Rank - i + b.Ranks) % b.Ranks
		rooms[peer] = b.Scratch(b.Bytes)
		arriving[peer] = b.Irecv(rooms[peer], peer)
	}
	for i := 1; i < b.Ranks; i++ {
		sent = append(sent, b.Isend(own, (b.Rank+i)%b.Ranks))
	}
	rooms[b.Rank] = own
	for peer := range b.Ranks {
		if peer != b.Rank {
			b.Wait(arriving[peer])
		}
		if peer == 1 {
			b.Combine(b.RecvBuf(), rooms[0], rooms[1])
		} else if peer > 1 {
			b.Combine(b.RecvBuf(), b.RecvBuf(), rooms[peer])
		}
	}
	if b.Ranks == 1 {
		b.Copy(b.RecvBuf(), own)
	}
	b.Wait(sent...)
}

func mstAllreduce(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), b.RecvBuf())
	mstReduce(b, 0, sum)
	if b.Rank == 0 {
		sum.settle()
	}
	mstBcast(b, b.RecvBuf(), 0)
}

// flatReduceThen makes an allreduce whose vectors rank 0 combines one after the other, in the order
// of ranks, and whose result bcast distributes.
func flatReduceThen(bcast func(*schedule.Builder, schedule.Mem)) func(*schedule.Builder) {
	return func(b *schedule.Builder) {
		if b.Rank > 0 {
			b.Send(b.Input(), 0)
		} else {
			sum := accumulate(b, b.Input(), b.RecvBuf())
			for _, peer := range flatTree(0, 0, b.Ranks).children {
				sum.receive(peer)
			}
			sum.settle()
		}
		bcast(b, b.RecvBuf())
	}
}

func binomialAllreduce(b *schedule.Builder) {
	sum := accumulate(b, b.Input(), b.RecvBuf())
	knomialCombine(b, sum, 0, 2)
	if b.Rank == 0 {
		sum.settle()
	}
	knomialTree(b.Rank, 0, b.Ranks, 2).down(b, b.RecvBuf())
}

func rabenseifnerAllreduce(b *schedule.Builder) {
	f := newFold(b)
	sum := accumulate(b, b.Input(), b.RecvBuf())
	f.in(sum)
	h := reduceHalves(b, f, sum)
	if b.Ranks == 1 {
		sum.settle()
	}
	h.gatherAll(b)
	f.out(b.RecvBuf())
}
