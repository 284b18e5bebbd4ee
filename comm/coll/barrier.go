package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func barriers() []Algorithm {
	barrier := messages(schedule.Barrier)
	return []Algorithm{
		{
			Name: "dissemination", Kind: schedule.Barrier,
			Source: "Hensgen, Finkel, Manber 1988; k-way: Hoefler et al. 2006",
			About:  "in round r every rank sends to those k^r, 2 k^r ... after it",
			Param:  "the radix k", Default: 2, Values: []int{2, 4, 8},
			Build: disseminationBarrier,
		},
		barrier("recursive-doubling", "F-MPJ: bidirectional exchange, BDE", "pairs exchange, at distances 1, 2, 4 ...", doublingBarrier),
		barrier("flat", "F-MPJ table 1, bFT", "all send to rank 0, which answers them one after the other", flatBarrier),
		barrier("flat-fat", "thesis chapter 5 table 2, nbFTGather+bFaTBcast", "all send to rank 0, which answers down a four-ary tree", flatFourBarrier),
		barrier("mst", "F-MPJ table 1, MST", "up and down the minimum spanning tree", mstBarrier),
		barrier("binomial", "thesis chapter 5 table 2, BT", "up and down a binomial tree", binomialBarrier),
		twoLevels(schedule.Barrier, "the ranks of a host wait for each other, then the leaders of hosts, then the hosts go on", twoLevelBarrier),
		inMemory(schedule.Barrier, "flags", "every rank posts an entry and looks for those of all others", shared.Barrier),
	}
}

// nothing is the content of the messages of barriers.
var nothing = schedule.Empty

// doublingBarrier emits recursive doubling among the largest power of two of ranks. Each rank
// beyond it sends a message to a partner first and receives one at the end.
func doublingBarrier(b *schedule.Builder) {
	p := power(b.Ranks)
	if b.Rank >= p {
		b.Send(nothing, b.Rank-p)
		b.Recv(nothing, b.Rank-p)
		return
	}
	beyond := b.Rank+p < b.Ranks
	if beyond {
		b.Recv(nothing, b.Rank+p)
	}
	for d := 1; d < p; d *= 2 {
		b.Exchange(nothing, b.Rank^d, nothing, b.Rank^d)
	}
	if beyond {
		b.Send(nothing, b.Rank+p)
	}
}

func flatBarrier(b *schedule.Builder) {
	if b.Rank > 0 {
		b.Send(nothing, 0)
		b.Recv(nothing, 0)
		return
	}
	for peer := 1; peer < b.Ranks; peer++ {
		b.Recv(nothing, peer)
	}
	for peer := 1; peer < b.Ranks; peer++ {
		b.Send(nothing, peer)
	}
}

func flatFourBarrier(b *schedule.Builder) {
	if b.Rank > 0 {
		b.Send(nothing, 0)
	} else {
		var heard []schedule.Slot
		for peer := 1; peer < b.Ranks; peer++ {
			heard = append(heard, b.Irecv(nothing, peer))
		}
		b.Wait(heard...)
	}
	karyTree(b.Rank, 0, b.Ranks, 4).downInTurn(b, nothing)
}

func mstBarrier(b *schedule.Builder) {
	steps := mst(b.Rank, 0, b.Ranks)
	for i := len(steps) - 1; i >= 0; i-- {
		if s := steps[i]; b.Rank == s.other {
			b.Send(nothing, s.root)
		} else {
			b.Recv(nothing, s.other)
		}
	}
	mstBcast(b, nothing, 0)
}

func binomialBarrier(b *schedule.Builder) {
	t := knomialTree(b.Rank, 0, b.Ranks, 2)
	t.up(b, nothing)
	t.down(b, nothing)
}

// disseminationBarrier emits the k-way dissemination barrier. Before a round of step s every rank
// has received a message, directly or indirectly, from the s - 1 ranks before it. In the round it
// sends to the ranks at distance s, 2 s ... (k - 1) s after it, so the step grows k times.
func disseminationBarrier(b *schedule.Builder, k int) {
	p := b.Ranks
	for step, k := 1, max(2, min(k, p)); step < p; step *= k {
		if k == 2 {
			b.Exchange(nothing, (b.Rank+step)%p, nothing, (b.Rank-step+p)%p)
			continue
		}
		var under []schedule.Slot
		for d := step; d < min(k*step, p); d += step {
			under = append(under, b.Irecv(nothing, (b.Rank-d+p)%p))
		}
		for d := step; d < min(k*step, p); d += step {
			under = append(under, b.Isend(nothing, (b.Rank+d)%p))
		}
		b.Wait(under...)
	}
}
