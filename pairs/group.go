package pairs

import (
	"maps"
	"math"
	"slices"
	"strings"

	"gobench/internal/collect"
)

// joined replaces findings about hosts by findings about groups: hosts that are slow with the
// others and not among each other, and those of a place of which most hosts are slow.
func (s *Study) joined(list []Finding) []Finding {
	fits, _ := s.fits()
	var slow []int // of list
	for i, f := range list {
		if f.Scope == OfHost && f.Status == Confirmed && f.Factor != nil && slices.Contains([]Kind{Delay, Slow, SlowSend, SlowReceive}, f.Kind) {
			slow = append(slow, i)
		}
	}
	group := collect.Range(len(list))
	root := func(i int) int {
		for group[i] != i {
			i = group[i]
		}
		return i
	}
	for x, i := range slow {
		for _, j := range slow[x+1:] {
			k := delayMetric
			if list[i].Kind != Delay {
				k = rateMetric
			}
			if fits[k] == nil {
				continue
			}
			own := min(math.Log(list[i].Factor.Median), math.Log(list[j].Factor.Median))
			if y, ok := s.among(s.numbers[list[i].Hosts[0]], s.numbers[list[j].Hosts[0]], k, fits[k]); ok && y < own/2 {
				group[root(j)] = root(i)
			}
		}
	}
	members := map[int][]int{}
	for _, i := range slow {
		members[root(i)] = append(members[root(i)], i)
	}
	gone := map[int]bool{}
	var groups []Finding
	for _, i := range slow {
		if m := members[i]; len(m) > 1 {
			g := s.groupOf(list, m)
			g.Evidence = append(g.Evidence, "they are not slow among each other, so what connects them with the others is")
			groups = append(groups, g)
			for _, j := range m {
				gone[j] = true
			}
		}
	}
	for _, m := range s.locations(list, slow, gone) {
		groups = append(groups, s.groupOf(list, m))
		for _, j := range m {
			gone[j] = true
		}
	}
	kept := groups
	named := map[string]bool{} // hosts of groups
	for _, g := range groups {
		for _, h := range g.Hosts {
			named[h] = true
		}
	}
	for i, f := range list {
		if f.Scope == OfGroup && f.Status != Unconfirmed {
			for _, h := range f.Hosts {
				named[h] = named[h] || !slices.ContainsFunc(groups, func(g Finding) bool { return g.Location == f.Location })
			}
			gone[i] = slices.ContainsFunc(groups, func(g Finding) bool { return g.Location == f.Location })
		}
	}
	for i, f := range list {
		// A path from a group to the others is slow because the group is.
		if !gone[i] && (f.Scope != OfPair || !named[f.Hosts[0]] && !named[f.Hosts[1]]) {
			kept = append(kept, f)
		}
	}
	return kept
}

// locations returns the findings, by their numbers, of places with three hosts or more of which
// three in four are slow, the widest places first.
func (s *Study) locations(list []Finding, slow []int, gone map[int]bool) (groups [][]int) {
	if len(s.hosts) == 0 {
		return nil
	}
	taken := map[int]bool{}
	for level := range s.hosts[0].Location {
		size, found := map[string]int{}, map[string][]int{}
		key := func(h Host) string { return strings.Join(h.Location[:level+1], "\x00") }
		for _, h := range s.hosts {
			size[key(h)]++
		}
		for _, i := range slow {
			if !gone[i] && !taken[i] {
				k := key(s.hosts[s.numbers[list[i].Hosts[0]]])
				found[k] = append(found[k], i)
			}
		}
		for _, k := range sortedKeys(found) {
			if n := len(found[k]); n >= 3 && 4*n >= 3*size[k] && size[k] < len(s.hosts) {
				groups = append(groups, found[k])
				for _, i := range found[k] {
					taken[i] = true
				}
			}
		}
	}
	return groups
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// groupOf returns a finding about the hosts of several findings.
func (s *Study) groupOf(list []Finding, members []int) Finding {
	g := Finding{Scope: OfGroup, Status: Confirmed, Kind: list[members[0]].Kind}
	worst := list[members[0]].Factor
	for _, i := range members {
		f := list[i]
		g.Hosts = append(g.Hosts, f.Hosts...)
		g.Partners = max(g.Partners, f.Partners)
		if f.Factor.Median > worst.Median {
			worst = f.Factor
		}
		if f.Kind != g.Kind {
			g.Kind = Slow
		}
	}
	factor := *worst
	g.Factor = &factor
	g.Location = s.common(g.Hosts)
	g.Advice = "look at the switch of these hosts and its uplinks"
	return g
}

// common returns the narrowest place that all hosts share, "" if it is not known.
func (s *Study) common(hosts []string) string {
	first := s.hosts[s.numbers[hosts[0]]]
	for level := len(first.Location); level > 0; level-- {
		if !slices.ContainsFunc(hosts, func(h string) bool {
			return !slices.Equal(s.hosts[s.numbers[h]].Location[:level], first.Location[:level])
		}) {
			return strings.Join(first.Location[:level], ".")
		}
	}
	return ""
}
