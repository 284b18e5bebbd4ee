package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

// allreduces returns algorithms that give all ranks bitwise identical results: either one rank
// combines and the others receive its result, or partners combine the same two values in the same
// order.
func allreduces() []Algorithm {
	allreduce := messages(schedule.Allreduce)
	return []Algorithm{
		allreduce("recursive-doubling", "F-MPJ table 1, BDE; Rabenseifner and Träff 2004 for any p", "pairs exchange the whole vector, at distances 1, 2, 4 ...", doublingAllreduce((*schedule.Builder).Exchange)),
		allreduce("recursive-doubling-nb", "thesis chapter 5 table 2, nbBDE", "recursive doubling with both sides of an exchange non-blocking", doublingAllreduce(exchangeNonBlocking)),
		allreduce("flat-nb", "thesis chapter 5 table 2, nbFT", "all ranks send to all at once and combine for themselves", flatNonBlockingAllreduce),
		allreduce("mst", "F-MPJ table 1, MSTReduce+MSTBcast", "MST reduce to rank 0, then MST bcast", mstAllreduce),
		allreduce("flat-flat", "thesis chapter 5 table 5, bFTReduce+nbFTBcast", "rank 0 receives one vector after the other, then sends the result to all at once", flatReduceThen(toAllAtOnce)),
		allreduce("flat-mst", "thesis chapter 5 table 5, bFTReduce+MSTBcast", "rank 0 receives one vector after the other, then MST bcast", flatReduceThen(mstFromFirst)),
		allreduce("binomial", "thesis chapter 5 table 2, BT", "binomial reduce to rank 0, then binomial bcast", binomialAllreduce),
		allreduce("rabenseifner", "Rabenseifner 2004", "recursive halving, then recursive doubling: for long vectors", rabenseifnerAllreduce),
		allreduce("ring", "F-MPJ table 1, BKTReduce_scatter+BKTAllgather; Patarasuk and Yuan 2009", "bucket reduce-scatter, then bucket allgather", func(b *schedule.Builder) {
			ringSum(b, b.Input(), b.RecvBuf())
		}).where(commutes),
		{
			Name: "ring-segmented", Kind: schedule.Allreduce,
			Source: "Patarasuk and Yuan 2009; segments as in Open MPI's segmented ring",
			About:  "ring whose blocks are cut in segments: one is combined and sent on while others come in",
			Param:  "the bytes of a segment", Default: 64 << 10, Values: []int{32 << 10, 64 << 10, 256 << 10},
			Fits:  commutes,
			Build: segmentedRingAllreduce,
		},
		twoLevels(schedule.Allreduce, "reduce inside each host, allreduce between hosts, bcast inside each host", twoLevelAllreduce),
		manyLeaders(schedule.Allreduce, "reduce_scatter inside each host, allreduces of parts between hosts, allgather inside each host", multiLeaderAllreduce),
		inMemory(schedule.Allreduce, "all", "all copy in, all combine everything", shared.Allreduce),
		inMemory(schedule.Allreduce, "slices", "all copy in, each combines a slice, all copy out", shared.AllreduceSlices),
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

// ringSum leaves the sum of a vector, or of a segment of it, at result on all ranks.
func ringSum(b *schedule.Builder, input, result schedule.Mem) {
	to := cut(b, result, b.Ranks)
	ringReduceScatter(b, cut(b, input, b.Ranks), to(b.Rank))
	ringAllgather(b, to)
}

// segmentedRingAllreduce takes 2(p - 1) steps along the ring. In the first p - 1 steps a received
// block is a partial sum, to which this rank adds its own; blocks received later are complete. Each
// block is forwarded to the next rank as it is, so reduce-scatter and allgather are not separated.
// The receives of the next step are posted segment by segment, as soon as the sends are complete
// whose memory they overwrite: sends of an earlier step from the scratch buffers, or, in place, of
// this rank's input.
func segmentedRingAllreduce(b *schedule.Builder, bytes int) {
	p := b.Ranks
	if p == 1 {
		b.Copy(b.RecvBuf(), b.Input())
		return
	}
	from, to := (b.Rank+1)%p, (b.Rank-1+p)%p
	input, result := cut(b, b.Input(), p), cut(b, b.RecvBuf(), p)
	longest := 0
	for rank := range p {
		longest = max(longest, input(rank).Len)
	}
	segment := max(b.Elem, bytes/b.Elem*b.Elem)
	n := max(1, (longest+segment-1)/segment)        // the same for all blocks, so that all ranks agree
	stride := (longest/b.Elem + n - 1) / n * b.Elem // of places in a room, which hold a segment of any block
	rooms := [2]schedule.Mem{b.Scratch(n * stride), b.Scratch(n * stride)}
	last := 2*(p-1) - 1
	block := func(step int) int { return (b.Rank + 2 + step) % p }
	land := func(step, i int) schedule.Mem {
		if step < p-1 {
			return rooms[step%2].At(i*stride, cut(b, input(block(step)), n)(i).Len)
		}
		return cut(b, result(block(step)), n)(i)
	}
	arriving, leaving := make([]schedule.Slot, n), make([]schedule.Slot, n) // of this step
	for i := range n {
		arriving[i] = b.Irecv(land(0, i), from)
	}
	for i := range n {
		leaving[i] = b.Isend(cut(b, input(from), n)(i), to)
	}
	for step := 0; step <= last; step++ {
		for i := range n {
			b.Wait(arriving[i])
			in := land(step, i)
			if step < p-1 {
				sum := in
				if step == p-2 {
					sum = cut(b, result(b.Rank), n)(i)
				}
				b.Combine(sum, cut(b, input(block(step)), n)(i), in)
				in = sum
			}
			ended := leaving[i]
			if step < last {
				leaving[i] = b.Isend(in, to)
			}
			b.Wait(ended)
			if step < last {
				arriving[i] = b.Irecv(land(step+1, i), from)
			}
		}
	}
}
