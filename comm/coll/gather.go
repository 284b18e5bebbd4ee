package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func gathers() []Algorithm {
	gather := messages(schedule.Gather)
	return []Algorithm{
		gather("flat-nb", "F-MPJ table 1, nbFT", "the root receives from all ranks at once", func(b *schedule.Builder) {
			collectAtOnce(b, b.Root, b.Input(), b.RecvBlock)
		}),
		gather("flat", "F-MPJ table 1, bFT", "the root receives from one rank after the other", flatGather),
		gather("flat-nb1", "thesis chapter 5 table 2, nb1FT (not described there)", "the root receives one after the other, with one receive posted ahead", flatAheadGather),
		gather("mst", "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTGather; F-MPJ table 1", "minimum spanning tree, blocks of half the range in a message", func(b *schedule.Builder) {
			mstGather(b, b.Root, b.Input(), b.RecvBlock)
		}),
		gather("binomial", "the field's common tree; MPICH", "binomial tree, blocks of a subtree in a message", func(b *schedule.Builder) {
			binomialGather(b, b.Root, b.Input(), b.RecvBlock)
		}),
		twoLevels(schedule.Gather, "gather inside each host, then between hosts", twoLevelGather),
		inMemory(schedule.Gather, "copy", "all others copy in, the root copies out", shared.Gather),
	}
}

func flatGather(b *schedule.Builder) {
	t := flatTree(b.Rank, b.Root, b.Ranks)
	if t.parent >= 0 {
		b.Send(b.Input(), b.Root)
		return
	}
	b.Copy(b.RecvBlock(b.Rank), b.Input())
	for _, c := range t.children {
		b.Recv(b.RecvBlock(c), c)
	}
}

// collectAtOnce collects blocks into the layout of the root, which receives from all ranks
// concurrently.
func collectAtOnce(b *schedule.Builder, root int, own schedule.Mem, to layout) {
	t := flatTree(b.Rank, root, b.Ranks)
	if t.parent >= 0 {
		b.Send(own, root)
		return
	}
	var arriving []schedule.Slot
	for _, c := range t.children {
		arriving = append(arriving, b.Irecv(to(c), c))
	}
	b.Copy(to(b.Rank), own)
	b.Wait(arriving...)
}

// flatAheadGather posts the receive of the next block before it waits for this one.
func flatAheadGather(b *schedule.Builder) {
	t := flatTree(b.Rank, b.Root, b.Ranks)
	if t.parent >= 0 {
		b.Send(b.Input(), b.Root)
		return
	}
	var arriving []schedule.Slot
	for i, c := range t.children {
		arriving = append(arriving, b.Irecv(b.RecvBlock(c), c))
		if i > 0 {
			b.Wait(arriving[i-1])
		}
	}
	b.Copy(b.RecvBlock(b.Rank), b.Input())
	if n := len(arriving); n > 0 {
		b.Wait(arriving[n-1])
	}
}

// binomialGather collects blocks into the layout of the root: a subtree is a
// range of ranks counted from the root.
func binomialGather(b *schedule.Builder, root int, own schedule.Mem, to layout) {
	t := knomialTree(b.Rank, root, b.Ranks, 2)
	mine := ranks(b.Rank, span(b.Rank, root, b.Ranks), b.Ranks)
	at := to
	if t.parent >= 0 {
		if len(mine) == 1 {
			b.Send(own, t.parent)
			return
		}
		_, at = scratchFor(b, to, mine)
	}
	var arriving []schedule.Slot
	var slots []func()
	for i := len(t.children) - 1; i >= 0; i-- {
		c := t.children[i]
		m, slot := landing(b, at, ranks(c, span(c, root, b.Ranks), b.Ranks))
		arriving = append(arriving, b.Irecv(m, c))
		slots = append(slots, slot)
	}
	b.Copy(at(b.Rank), own)
	for i, s := range arriving {
		b.Wait(s)
		slots[i]()
	}
	if t.parent >= 0 {
		b.Send(pack(b, at, mine), t.parent)
	}
}

func scatters() []Algorithm {
	scatter := messages(schedule.Scatter)
	return []Algorithm{
		scatter("flat-nb", "F-MPJ table 1, nbFT", "the root sends to all ranks at once", flatNonBlockingScatter),
		scatter("flat", "F-MPJ table 1, bFT", "the root sends to one rank after the other", flatScatter),
		scatter("mst", "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTScatter; F-MPJ table 1", "minimum spanning tree, blocks of half the range in a message", func(b *schedule.Builder) {
			mstScatter(b, b.Root, b.SendBlock, ownScattered(b))
		}),
		scatter("binomial", "the field's common tree; MPICH", "binomial tree, blocks of a subtree in a message", binomialScatter),
		twoLevels(schedule.Scatter, "scatter between hosts, then inside each host", twoLevelScatter),
		inMemory(schedule.Scatter, "copy", "the root copies in, all others copy out", shared.Scatter),
	}
}

// ownScattered returns the memory of this rank's own block. In place, the root's block stays in
// Send.
func ownScattered(b *schedule.Builder) schedule.Mem {
	if b.InPlace && b.Rank == b.Root {
		return b.SendBlock(b.Rank)
	}
	return b.RecvBlock(b.Rank)
}

func flatScatter(b *schedule.Builder) {
	t := flatTree(b.Rank, b.Root, b.Ranks)
	if t.parent >= 0 {
		b.Recv(b.RecvBlock(b.Rank), b.Root)
		return
	}
	for _, c := range t.children {
		b.Send(b.SendBlock(c), c)
	}
	b.Copy(ownScattered(b), b.SendBlock(b.Rank))
}

func flatNonBlockingScatter(b *schedule.Builder) {
	t := flatTree(b.Rank, b.Root, b.Ranks)
	if t.parent >= 0 {
		b.Recv(b.RecvBlock(b.Rank), b.Root)
		return
	}
	var sent []schedule.Slot
	for _, c := range t.children {
		sent = append(sent, b.Isend(b.SendBlock(c), c))
	}
	b.Copy(ownScattered(b), b.SendBlock(b.Rank))
	b.Wait(sent...)
}

// binomialScatter: a subtree is a range of ranks counted from the root.
func binomialScatter(b *schedule.Builder) {
	t := knomialTree(b.Rank, b.Root, b.Ranks, 2)
	var at layout = b.SendBlock
	if t.parent >= 0 {
		mine := ranks(b.Rank, span(b.Rank, b.Root, b.Ranks), b.Ranks)
		if len(mine) == 1 {
			b.Recv(b.RecvBlock(b.Rank), t.parent)
			return
		}
		var all schedule.Mem
		all, at = scratchFor(b, b.SendBlock, mine)
		b.Recv(all, t.parent)
	}
	var sent []schedule.Slot
	for _, c := range t.children {
		below := ranks(c, span(c, b.Root, b.Ranks), b.Ranks)
		sent = append(sent, b.Isend(pack(b, at, below), c))
	}
	b.Copy(ownScattered(b), at(b.Rank))
	b.Wait(sent...)
}
