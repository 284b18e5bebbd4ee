package coll

import (
	"cmp"
	"slices"

	"gobench/comm/schedule"
)

// Algorithms of two levels divide an operation into operations among the ranks of each host and
// operations between hosts, in which leaders take part: one rank of each host, or several. Each
// part runs the algorithm that partTable selects for its size and number of ranks.

// twoLevels returns an algorithm with one leader on each host.
func twoLevels(kind schedule.Kind, about string, build func(l *levels)) Algorithm {
	return Algorithm{
		Name: "two-level", Kind: kind,
		Source: "Kielmann et al. 1999, MagPIe; Karonis et al. 2000",
		About:  about, Hosts: true, Fits: severalHosts,
		Build: func(b *schedule.Builder, _ int) { build(newLevels(b)) },
	}
}

// manyLeaders returns an algorithm with several leaders on each host, each for a part of the
// vector.
func manyLeaders(kind schedule.Kind, about string, build func(l *levels, leaders int)) Algorithm {
	return Algorithm{
		Name: "multi-leader", Kind: kind,
		Source: "Kandalla et al. 2009; for reductions: Bayatpour et al. 2017, DPML",
		About:  about, Hosts: true, Fits: severalHosts,
		Param: "the leaders of a host", Default: 4, Values: []int{4, 16},
		Build: func(b *schedule.Builder, leaders int) {
			l := newLevels(b)
			for _, ranks := range l.hosts {
				leaders = min(leaders, len(ranks))
			}
			build(l, leaders)
		},
	}
}

// severalHosts is the Fits of algorithms of two levels. An operator that does not commute
// needs consecutive ranks on each host, because its hosts combine first.
func severalHosts(s *schedule.Shape) string {
	hosts := hostRanks(s.Hosts)
	if len(hosts) < 2 {
		return "all ranks are on one host"
	}
	if s.Kind.Reduces() && !s.Commutative {
		for _, ranks := range hosts {
			if ranks[len(ranks)-1]-ranks[0] >= len(ranks) {
				return "the operator does not commute and the ranks of a host are not consecutive"
			}
		}
	}
	return ""
}

// HostsOf returns the hosts of a communicator as schedule.Shape.Hosts has them. hosts has the host
// of each rank of the device, and world the device's rank of each rank, nil if the two are the
// same.
func HostsOf(hosts, world []int, ranks int) []int {
	if hosts == nil {
		return nil
	}
	numbers := map[int]int{}
	list := make([]int, ranks)
	for rank := range list {
		on := rank
		if world != nil {
			on = world[rank]
		}
		if _, found := numbers[hosts[on]]; !found {
			numbers[hosts[on]] = len(numbers)
		}
		list[rank] = numbers[hosts[on]]
	}
	if len(numbers) == 1 {
		return nil
	}
	return list
}

// hostRanks returns the ranks of each host in ascending order.
func hostRanks(hosts []int) [][]int {
	var list [][]int
	for rank, host := range hosts {
		for host >= len(list) {
			list = append(list, nil)
		}
		list[host] = append(list[host], rank)
	}
	return list
}

// levels emits the parts of an operation of two levels.
type levels struct {
	*schedule.Builder
	hosts   [][]int // ranks of each host, ascending, by number of the host
	mine    []int   // those of this rank's host
	leaders []int   // by number of the host: the root on its own, elsewhere the lowest rank
	leader  int     // of this rank's host
}

func newLevels(b *schedule.Builder) *levels {
	l := &levels{Builder: b, hosts: hostRanks(b.Hosts)}
	for _, ranks := range l.hosts {
		l.leaders = append(l.leaders, ranks[0])
	}
	if b.Kind.Rooted() {
		l.leaders[b.Hosts[b.Root]] = b.Root
	}
	l.mine, l.leader = l.hosts[b.Hosts[b.Rank]], l.leaders[b.Hosts[b.Rank]]
	return l
}

// leads reports whether this rank is the leader of its host.
func (l *levels) leads() bool { return l.Rank == l.leader }

// alone reports whether this rank has its host for itself.
func (l *levels) alone() bool { return len(l.mine) == 1 }

// within emits an operation among some ranks, of which this rank is one, as partTable selects.
// The root is a rank of the whole operation.
func (l *levels) within(s schedule.Shape, among []int, root int, send, recv schedule.Mem) {
	s.Ranks, s.Rank, s.Commutative = len(among), slices.Index(among, l.Rank), l.Commutative
	s.Root = max(0, slices.Index(among, root))
	s.Elem = cmp.Or(s.Elem, l.Elem)
	c := partTable.Choose("", &s, false)
	l.Within(s, among, send, recv, func(b *schedule.Builder) { c.Build(b, c.Number) })
}

// inside emits an operation among the ranks of this rank's host, with its leader as root.
func (l *levels) inside(s schedule.Shape, send, recv schedule.Mem) {
	l.within(s, l.mine, l.leader, send, recv)
}

// between emits an operation among the leaders, of which this rank is one, with the operation's
// root as root.
func (l *levels) between(s schedule.Shape, send, recv schedule.Mem) {
	l.within(s, l.leaders, l.Root, send, recv)
}

// collected emits the reduction of the vectors of this host to the leader and returns the memory
// of the sum, which is place unless the leader is alone. Other ranks get no memory.
func (l *levels) collected(slot schedule.Mem) schedule.Mem {
	if l.alone() {
		return l.Input()
	}
	l.inside(schedule.Shape{Kind: schedule.Reduce, Bytes: l.Bytes, InPlace: l.leads() && l.Input() == slot}, l.Input(), slot)
	return slot
}

func twoLevelBarrier(l *levels) {
	up := func(b *schedule.Builder) { knomialTree(b.Rank, b.Root, b.Ranks, 4).up(b, nothing) }
	down := func(b *schedule.Builder) { knomialTree(b.Rank, b.Root, b.Ranks, 4).down(b, nothing) }
	s := schedule.Shape{Kind: schedule.Barrier, Elem: 1}
	l.Within(s, l.mine, schedule.Mem{}, schedule.Mem{}, up)
	if l.leads() {
		l.between(s, schedule.Mem{}, schedule.Mem{})
	}
	l.Within(s, l.mine, schedule.Mem{}, schedule.Mem{}, down)
}

func twoLevelBcast(l *levels) {
	s := schedule.Shape{Kind: schedule.Bcast, Bytes: l.Bytes}
	l.Overlap(func() {
		if l.leads() {
			l.between(s, schedule.Mem{}, l.RecvBuf())
		}
	}, func() { l.inside(s, schedule.Mem{}, l.RecvBuf()) })
}

func twoLevelReduce(l *levels) {
	slot := schedule.Mem{}
	switch {
	case l.Rank == l.Root:
		slot = l.RecvBuf()
	case l.leads() && !l.alone():
		slot = l.Scratch(l.Bytes)
	}
	sum := l.collected(slot)
	if l.leads() {
		s := schedule.Shape{Kind: schedule.Reduce, Bytes: l.Bytes, InPlace: l.Rank == l.Root && sum == l.RecvBuf()}
		l.between(s, sum, l.RecvBuf())
	}
}

func twoLevelAllreduce(l *levels) {
	sum := l.collected(l.RecvBuf())
	if l.leads() {
		s := schedule.Shape{Kind: schedule.Allreduce, Bytes: l.Bytes, InPlace: sum == l.RecvBuf()}
		l.between(s, sum, l.RecvBuf())
	}
	l.inside(schedule.Shape{Kind: schedule.Bcast, Bytes: l.Bytes}, schedule.Mem{}, l.RecvBuf())
}
