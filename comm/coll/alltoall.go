package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func alltoalls() []Algorithm {
	return []Algorithm{
		alltoall("pairwise", "the field's common exchange; MPICH for long messages", "p - 1 rounds, each with one rank to send to and one to receive from", pairwiseAlltoall((*schedule.Builder).Exchange)),
		alltoall("flat", "thesis chapter 5 table 2, bFT", "one blocking exchange after the other", flatAlltoall),
		alltoall("flat-nb", "F-MPJ table 1, nbFT", "everything at once", flatNonBlockingAlltoall),
		alltoall("flat-nb1", "thesis chapter 5 table 2, nb1FT (not described there)", "all receives posted, sends blocking", flatPostedAlltoall),
		alltoall("flat-nb2", "thesis chapter 5 table 2, nb2FT (not described there)", "both sides of an exchange non-blocking, one exchange after the other", pairwiseAlltoall(exchangeNonBlocking)),
		alltoallWindow(),
		alltoallBruck(),
		alltoallTwoLevels(),
		inMemory(schedule.Alltoall, "copy", "all copy in and out", shared.Alltoall),
	}
}

// outgoing returns the layout of the blocks to be sent. In place, the blocks are first copied to
// scratch memory, because blocks that arrive overwrite them.
func outgoing(b *schedule.Builder) layout {
	if !b.InPlace {
		return b.SendBlock
	}
	_, at := scratchFor(b, b.RecvBlock, ranks(0, b.Ranks, b.Ranks))
	for rank := range b.Ranks {
		b.Copy(at(rank), b.RecvBlock(rank))
	}
	return at
}

func alltoall(name, source, about string, build func(b *schedule.Builder, out layout)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.Alltoall, Source: source, About: about,
		Build: func(b *schedule.Builder, _ int) {
			out := outgoing(b)
			build(b, out)
			b.Copy(b.RecvBlock(b.Rank), out(b.Rank))
		},
	}
}

func pairwiseAlltoall(swap exchange) func(*schedule.Builder, layout) {
	return func(b *schedule.Builder, out layout) {
		p := b.Ranks
		for i := 1; i < p; i++ {
			to, from := (b.Rank+i)%p, (b.Rank-i+p)%p
			swap(b, out(to), to, b.RecvBlock(from), from)
		}
	}
}

// flatAlltoall goes over the pairs of ranks in one order that all ranks keep, the lower
// one sending first: so blocking calls do not wait in a circle.
func flatAlltoall(b *schedule.Builder, out layout) {
	for peer := range b.Ranks {
		switch {
		case peer < b.Rank:
			b.Recv(b.RecvBlock(peer), peer)
			b.Send(out(peer), peer)
		case peer > b.Rank:
			b.Send(out(peer), peer)
			b.Recv(b.RecvBlock(peer), peer)
		}
	}
}

func flatNonBlockingAlltoall(b *schedule.Builder, out layout) {
	p := b.Ranks
	var under []schedule.Slot
	for i := 1; i < p; i++ {
		from := (b.Rank - i + p) % p
		under = append(under, b.Irecv(b.RecvBlock(from), from))
	}
	for i := 1; i < p; i++ {
		to := (b.Rank + i) % p
		under = append(under, b.Isend(out(to), to))
	}
	b.Wait(under...)
}

func flatPostedAlltoall(b *schedule.Builder, out layout) {
	p := b.Ranks
	var arriving []schedule.Slot
	for i := 1; i < p; i++ {
		from := (b.Rank - i + p) % p
		arriving = append(arriving, b.Irecv(b.RecvBlock(from), from))
	}
	for i := 1; i < p; i++ {
		to := (b.Rank + i) % p
		b.Send(out(to), to)
	}
	b.Wait(arriving...)
}
