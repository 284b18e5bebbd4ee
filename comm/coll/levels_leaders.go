package coll

import (
	"slices"

	"gobench/comm/schedule"
)

// With several leaders, the ranks of a host divide a vector into parts, one for each leader: the
// lowest ranks of the host. Leaders with the same part work between hosts, all parts concurrently.

// parts returns the blocks of a vector for the ranks of a host, of which those that do not lead
// are empty.
func (l *levels) parts(among []int, leaders int) []schedule.Block {
	at := cut(l.Builder, schedule.Mem{Len: l.Bytes}, leaders)
	blocks := make([]schedule.Block, len(among))
	for i := range blocks {
		blocks[i].Off = l.Bytes
		if i < leaders {
			m := at(i)
			blocks[i] = schedule.Block{Off: m.Off, Len: m.Len}
		}
	}
	return blocks
}

// peers returns the leaders of one part on all hosts.
func (l *levels) peers(part int) []int {
	var list []int
	for _, ranks := range l.hosts {
		list = append(list, ranks[part])
	}
	return list
}

// part returns the number of this rank's part, false if it leads none.
func (l *levels) part(leaders int) (int, bool) {
	i := slices.Index(l.mine, l.Rank)
	return i, i < leaders
}

// shared emits the reduction of the vectors of this host in parts and returns the memory of
// this rank's part of the sum.
func (l *levels) shared(blocks []schedule.Block) schedule.Mem {
	i := slices.Index(l.mine, l.Rank)
	sum := l.Scratch(blocks[i].Len)
	l.inside(schedule.Shape{Kind: schedule.ReduceScatter, SendBlocks: blocks}, l.Input(), sum)
	return sum
}

func multiLeaderBcast(l *levels, leaders int) {
	home := l.hosts[l.Hosts[l.Root]]
	if l.Hosts[l.Rank] == l.Hosts[l.Root] {
		blocks := l.parts(home, leaders)
		own := blocks[slices.Index(home, l.Rank)]
		s := schedule.Shape{Kind: schedule.Scatter, SendBlocks: blocks, InPlace: l.Rank == l.Root}
		l.within(s, home, l.Root, l.RecvBuf(), l.RecvBuf().At(own.Off, own.Len))
	}
	blocks := l.parts(l.mine, leaders)
	if i, leads := l.part(leaders); leads {
		s := schedule.Shape{Kind: schedule.Bcast, Bytes: blocks[i].Len}
		l.within(s, l.peers(i), home[i], schedule.Mem{}, l.RecvBuf().At(blocks[i].Off, blocks[i].Len))
	}
	l.inside(schedule.Shape{Kind: schedule.Allgather, RecvBlocks: blocks, InPlace: true}, schedule.Mem{}, l.RecvBuf())
}

func multiLeaderReduce(l *levels, leaders int) {
	blocks := l.parts(l.mine, leaders)
	sum := l.shared(blocks)
	home := l.hosts[l.Hosts[l.Root]]
	if i, leads := l.part(leaders); leads {
		s := schedule.Shape{Kind: schedule.Reduce, Bytes: sum.Len, InPlace: l.Rank == home[i]}
		l.within(s, l.peers(i), home[i], sum, sum)
	}
	if l.Hosts[l.Rank] == l.Hosts[l.Root] {
		l.within(schedule.Shape{Kind: schedule.Gather, RecvBlocks: blocks}, home, l.Root, sum, l.RecvBuf())
	}
}

func multiLeaderAllreduce(l *levels, leaders int) {
	blocks := l.parts(l.mine, leaders)
	sum := l.shared(blocks)
	if i, leads := l.part(leaders); leads {
		l.within(schedule.Shape{Kind: schedule.Allreduce, Bytes: sum.Len, InPlace: true}, l.peers(i), 0, schedule.Mem{}, sum)
	}
	l.inside(schedule.Shape{Kind: schedule.Allgather, RecvBlocks: blocks}, sum, l.RecvBuf())
}
