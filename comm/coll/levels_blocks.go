package coll

import (
	"cmp"
	"slices"

	"gobench/comm/schedule"
)

// The blocks of the ranks of one host travel between hosts as one block, in the order of ranks.

// lengths returns the blocks of some ranks, side by side from 0 on.
func (l *levels) lengths(among []int) []schedule.Block {
	blocks, off := make([]schedule.Block, len(among)), 0
	for i, rank := range among {
		blocks[i] = schedule.Block{Off: off, Len: l.Len(rank)}
		off += l.Len(rank)
	}
	return blocks
}

// slots returns the blocks of some ranks at their offsets in the caller's buffer.
func slots(at layout, among []int) []schedule.Block {
	blocks := make([]schedule.Block, len(among))
	for i, rank := range among {
		m := at(rank)
		blocks[i] = schedule.Block{Off: m.Off, Len: m.Len}
	}
	return blocks
}

// hostBlocks returns a block for each host that holds those of its ranks, side by side, but an
// empty one for the host to be left out (-1: none).
func (l *levels) hostBlocks(without int) []schedule.Block {
	blocks, off := make([]schedule.Block, len(l.hosts)), 0
	for host, ranks := range l.hosts {
		blocks[host].Off = off
		if host != without {
			blocks[host].Len = extent(l.lengths(ranks))
		}
		off += blocks[host].Len
	}
	return blocks
}

// extent returns the length of blocks that are side by side.
func extent(blocks []schedule.Block) int {
	last := blocks[len(blocks)-1]
	return last.Off + last.Len
}

// byHost lists all ranks but those of one host (-1: none), the ranks of each host together.
func (l *levels) byHost(without int) []int {
	var list []int
	for host, ranks := range l.hosts {
		if host != without {
			list = append(list, ranks...)
		}
	}
	return list
}

// twoLevelGather leaves the root's own host out of the exchange between hosts: its blocks are
// received at their places.
func twoLevelGather(l *levels) {
	home := l.Hosts[l.Root]
	among := l.hostBlocks(home)
	inside := schedule.Shape{Kind: schedule.Gather, RecvBlocks: l.lengths(l.mine)}
	switch {
	case l.Rank == l.Root:
		inside.RecvBlocks, inside.InPlace = slots(l.RecvBlock, l.mine), l.InPlace
		l.inside(inside, l.Input(), l.RecvBuf())
		all, slot := landing(l.Builder, l.RecvBlock, l.byHost(home))
		l.between(schedule.Shape{Kind: schedule.Gather, RecvBlocks: among}, schedule.Mem{}, all)
		slot()
	case l.leads():
		packed := l.Input()
		if !l.alone() {
			packed = l.Scratch(extent(inside.RecvBlocks))
			l.inside(inside, l.Input(), packed)
		}
		l.between(schedule.Shape{Kind: schedule.Gather, RecvBlocks: among}, packed, schedule.Mem{})
	default:
		l.inside(inside, l.Input(), schedule.Mem{})
	}
}

// twoLevelScatter sends the blocks of the root's own host from their places.
func twoLevelScatter(l *levels) {
	home := l.Hosts[l.Root]
	among := l.hostBlocks(home)
	inside := schedule.Shape{Kind: schedule.Scatter, SendBlocks: l.lengths(l.mine)}
	switch {
	case l.Rank == l.Root:
		all := pack(l.Builder, l.SendBlock, l.byHost(home))
		l.between(schedule.Shape{Kind: schedule.Scatter, SendBlocks: among}, all, schedule.Mem{})
		inside.SendBlocks, inside.InPlace = slots(l.SendBlock, l.mine), l.InPlace
		l.inside(inside, l.SendBuf(), l.RecvBuf())
	case l.leads():
		packed := l.RecvBuf()
		if !l.alone() {
			packed = l.Scratch(extent(inside.SendBlocks))
		}
		l.between(schedule.Shape{Kind: schedule.Scatter, SendBlocks: among}, schedule.Mem{}, packed)
		if !l.alone() {
			l.inside(inside, packed, l.RecvBuf())
		}
	default:
		l.inside(inside, schedule.Mem{}, l.RecvBuf())
	}
}

func twoLevelAllgather(l *levels) {
	every := l.byHost(-1)
	all, slot := landing(l.Builder, l.RecvBlock, every)
	among := l.hostBlocks(-1)
	own := among[l.Hosts[l.Rank]]
	l.inside(schedule.Shape{Kind: schedule.Gather, RecvBlocks: l.lengths(l.mine)}, l.Input(), all.At(own.Off, own.Len))
	if l.leads() {
		l.between(schedule.Shape{Kind: schedule.Allgather, RecvBlocks: among, InPlace: true}, schedule.Mem{}, all)
	}
	l.inside(schedule.Shape{Kind: schedule.Bcast, Bytes: all.Len, Elem: 1}, schedule.Mem{}, all)
	slot()
}

func alltoallTwoLevels() Algorithm {
	a := twoLevels(schedule.Alltoall, "gather inside each host, alltoall between hosts, scatter inside each host", twoLevelAlltoall)
	a.Fits = func(s *schedule.Shape) string {
		return cmp.Or(equalBlocks(s), severalHosts(s))
	}
	return a
}

// twoLevelAlltoall moves the blocks of all ranks of a host to its leader, and between leaders those
// for all ranks of a host in one message.
func twoLevelAlltoall(l *levels) {
	n, whole := l.Bytes, l.Bytes*l.Ranks
	input := schedule.Mem{Buffer: schedule.SendBuffer, Len: whole}
	if l.InPlace {
		input.Buffer = schedule.RecvBuffer
	}
	gather, scatter := schedule.Shape{Kind: schedule.Gather, Bytes: whole}, schedule.Shape{Kind: schedule.Scatter, Bytes: whole}
	if !l.leads() {
		l.inside(gather, input, schedule.Mem{})
		l.inside(scatter, schedule.Mem{}, l.RecvBuf())
		return
	}
	// Matrices of blocks: a row for each rank of this host, and a column for each rank.
	from, to := input, l.RecvBuf()
	if !l.alone() {
		from, to = l.Scratch(whole*len(l.mine)), l.Scratch(whole*len(l.mine))
		l.inside(gather, input, from)
	}
	block := func(matrix schedule.Mem, row, column int) schedule.Mem {
		return matrix.At(row*whole+column*n, n)
	}
	out, in := l.Scratch(whole*len(l.mine)), l.Scratch(whole*len(l.mine))
	var blocks []schedule.Block
	next := 0
	for _, ranks := range l.hosts {
		first := next
		for row := range l.mine {
			for _, rank := range ranks {
				l.Copy(out.At(next, n), block(from, row, rank))
				next += n
			}
		}
		blocks = append(blocks, schedule.Block{Off: first, Len: next - first})
	}
	s := schedule.Shape{Kind: schedule.Alltoall, SendBlocks: blocks, RecvBlocks: blocks}
	if !slices.ContainsFunc(blocks, func(b schedule.Block) bool { return b.Len != blocks[0].Len }) && l.sameHosts() {
		s = schedule.Shape{Kind: schedule.Alltoall, Bytes: blocks[0].Len}
	}
	l.between(s, out, in)
	next = 0
	for _, ranks := range l.hosts {
		for _, rank := range ranks {
			for row := range l.mine {
				l.Copy(block(to, row, rank), in.At(next, n))
				next += n
			}
		}
	}
	if !l.alone() {
		l.inside(scatter, to, l.RecvBuf())
	}
}

// sameHosts reports whether all hosts have equally many ranks.
func (l *levels) sameHosts() bool {
	return !slices.ContainsFunc(l.hosts, func(ranks []int) bool { return len(ranks) != len(l.hosts[0]) })
}
