package host

import (
	"cmp"
	"slices"
)

// nearest orders cores so that the first n are close together: within one last-level cache, NUMA
// node or package, the first of these that has n physical cores. The second threads of physical
// cores come last.
func nearest(cores []Core, n int) []int {
	for _, group := range []func(Core) int{
		func(c Core) int { return c.LLC },
		func(c Core) int { return c.Node },
		func(c Core) int { return c.Package },
	} {
		for _, members := range groups(cores, group) {
			if group(members[0]) >= 0 && physical(members) >= n {
				return ids(compactly(members))
			}
		}
	}
	return ids(compactly(cores))
}

// farthest orders cores so that consecutive ones are in different NUMA nodes, or else packages, or
// else under different last-level caches. If all cores are in one group, it spreads n over the
// sorted cores, and warns.
func (top Topology) farthest(cores []Core, n int, p *Placement) []int {
	for _, group := range []func(Core) int{
		func(c Core) int { return c.Node },
		func(c Core) int { return c.Package },
		func(c Core) int { return c.LLC },
	} {
		domains := groups(cores, group)
		if len(domains) > 1 {
			return ids(deal(top.byDistance(domains)))
		}
	}
	p.warn("all cores of this process share one NUMA node and one last-level cache, or the system does not report them: far only means other cores")
	flat := compactly(cores)
	if count := physical(flat); count >= n && n > 1 {
		spread := make([]Core, n)
		for i := range spread {
			spread[i] = flat[i*(count-1)/(n-1)]
		}
		return ids(spread)
	}
	return ids(flat)
}

// byDistance orders domains so that each is the one farthest from its predecessor
// among those that are left.
func (top Topology) byDistance(domains [][]Core) [][]Core {
	order := domains[:1:1]
	left := slices.Clone(domains[1:])
	for len(left) > 0 {
		from := order[len(order)-1][0].Node
		far := slices.MaxFunc(left, func(a, b []Core) int {
			return cmp.Compare(top.Distance[from][a[0].Node], top.Distance[from][b[0].Node])
		})
		order = append(order, far)
		left = slices.DeleteFunc(left, func(d []Core) bool { return d[0].ID == far[0].ID })
	}
	return order
}

// deal takes one core of each domain in turn.
func deal(domains [][]Core) []Core {
	var dealt []Core
	for i := range domains {
		domains[i] = compactly(domains[i])
	}
	for round := 0; ; round++ {
		before := len(dealt)
		for _, d := range domains {
			if round < len(d) {
				dealt = append(dealt, d[round])
			}
		}
		if len(dealt) == before {
			return dealt
		}
	}
}

// compactly sorts cores: first threads of physical cores before second ones, then
// neighbours together.
func compactly(cores []Core) []Core {
	thread := make(map[int]int) // of its physical core, by core
	seen := make(map[int]int)
	for _, c := range cores {
		thread[c.ID] = seen[c.Physical]
		seen[c.Physical]++
	}
	return slices.SortedStableFunc(slices.Values(cores), func(a, b Core) int {
		return cmp.Or(cmp.Compare(thread[a.ID], thread[b.ID]), cmp.Compare(a.Node, b.Node),
			cmp.Compare(a.Package, b.Package), cmp.Compare(a.LLC, b.LLC), cmp.Compare(a.ID, b.ID))
	})
}

// groups splits cores by a number, in the order of first occurrence.
func groups(cores []Core, number func(Core) int) [][]Core {
	var list [][]Core
	index := make(map[int]int)
	for _, c := range cores {
		i, ok := index[number(c)]
		if !ok {
			i = len(list)
			index[number(c)] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], c)
	}
	return list
}

func physical(cores []Core) int {
	seen := make(map[int]bool)
	for _, c := range cores {
		seen[c.Physical] = true
	}
	return len(seen)
}

func ids(cores []Core) []int {
	list := make([]int, len(cores))
	for i, c := range cores {
		list[i] = c.ID
	}
	return list
}
