package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func alltoalls() []Algorithm {
	return []Algorithm{
		alltoall("pairwise", "the field's common exchange; MPICH for long messages", "p - 1 rounds, each with one rank to send to and one to receive from", pairwiseAlltoall((*schedule.Builder).Exchange)),
		alltoall("flat", "thesis chapter 5 table 2, bFT", "one blocking exchange after the other", flatAlltoall),
		alltoall("flat-nb", "F-MPJ table 1, nbFT", "everything at once", exchangeAtOnce),
		alltoall("flat-nb1", "thesis chapter 5 table 2, nb1FT (not described there)", "all receives posted, sends blocking", flatPostedAlltoall),
		alltoall("flat-nb2", "thesis chapter 5 table 2, nb2FT (not described there)", "both sides of an exchange non-blocking, one exchange after the other", pairwiseAlltoall(exchangeNonBlocking)),
		{
			Name: "linear", Kind: schedule.Alltoall,
			Source: "Open MPI, linear_sync; MPICH, scattered",
			About:  "non-blocking exchanges, a limited number of them under way",
			Param:  "the exchanges under way", Default: 4, Values: []int{2, 8},
			Build: windowAlltoall,
		},
		messages(schedule.Alltoall)("bruck", "Bruck, Ho, Kipnis, Upfal, Weathersby 1997", "ceil(log2 p) rounds with many blocks in a message", bruckAlltoall).where(equalBlocks),
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
	return messages(schedule.Alltoall)(name, source, about, func(b *schedule.Builder) {
		out := outgoing(b)
		build(b, out)
		b.Copy(b.RecvBlock(b.Rank), out(b.Rank))
	})
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

// exchangeAtOnce sends to all ranks, and receives from them, concurrently.
func exchangeAtOnce(b *schedule.Builder, out layout) {
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

// bruckAlltoall emits Bruck's algorithm: ceil(log2 p) rounds, in each of which about half of all
// blocks move, for small blocks. Block i of the work is for the rank i after this one. In
// round k all blocks whose index has bit k set are sent to the rank 2^k after this one. In the end
// block i is from the rank i before this one.
func bruckAlltoall(b *schedule.Builder) {
	p, n := b.Ranks, b.Bytes
	work := b.Scratch(p * n)
	out, in := b.Scratch((p+1)/2*n), b.Scratch((p+1)/2*n)
	from := b.SendBlock
	if b.InPlace {
		from = b.RecvBlock
	}
	for i := range p {
		b.Copy(work.At(i*n, n), from((b.Rank+i)%p))
	}
	for d := 1; d < p; d *= 2 {
		var moving []int
		for i := range p {
			if i&d != 0 {
				moving = append(moving, i)
			}
		}
		for k, i := range moving {
			b.Copy(out.At(k*n, n), work.At(i*n, n))
		}
		size := len(moving) * n
		b.Exchange(out.At(0, size), (b.Rank+d)%p, in.At(0, size), (b.Rank-d+p)%p)
		for k, i := range moving {
			b.Copy(work.At(i*n, n), in.At(k*n, n))
		}
	}
	for i := range p {
		b.Copy(b.RecvBlock((b.Rank-i+p)%p), work.At(i*n, n))
	}
}

func windowAlltoall(b *schedule.Builder, window int) {
	out := outgoing(b)
	p := b.Ranks
	var under [][2]schedule.Slot
	for i := 1; i < p; i++ {
		if n := len(under) - max(1, window); n >= 0 {
			b.Wait(under[n][0], under[n][1])
		}
		to, from := (b.Rank+i)%p, (b.Rank-i+p)%p
		r := b.Irecv(b.RecvBlock(from), from)
		under = append(under, [2]schedule.Slot{r, b.Isend(out(to), to)})
	}
	for _, s := range under[max(0, len(under)-max(1, window)):] {
		b.Wait(s[0], s[1])
	}
	b.Copy(b.RecvBlock(b.Rank), out(b.Rank))
}
