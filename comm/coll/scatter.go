package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

func scatters() []Algorithm {
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

func scatter(name, source, about string, build func(b *schedule.Builder)) Algorithm {
	return Algorithm{
		Name: name, Kind: schedule.Scatter, Source: source, About: about,
		Build: func(b *schedule.Builder, _ int) { build(b) },
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
