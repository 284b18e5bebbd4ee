package cell

import (
	"slices"
	"strings"

	"gobench/report/host"
)

// A group holds all points of a set that have equal factors. A set has few groups and many points,
// so functions on factors look at groups.
type group struct{ first Point }

// A tuple holds all factors of a point as a map key.
type tuple struct {
	file, host                             string
	bench, library, transport, level, kind string
	cache, memory, algorithm, root, start  string
	skew, check, class, options            string
	ranks, window, groups, threads, copies int
	inPlace                                bool
	size                                   int64
}

// groups finds the group of a point.
type groups struct {
	known map[tuple]*group
	hosts map[any]string // of runs
}

func newGroups() *groups {
	return &groups{known: map[tuple]*group{}, hosts: map[any]string{}}
}

func (r *groups) of(p Point) *group {
	name, ok := r.hosts[p.Run]
	if !ok {
		name = host.Names(p.Run)
		r.hosts[p.Run] = name
	}
	t := tuple{
		p.File, name, p.Bench, p.Library, p.Transport, p.Level, p.RankKind,
		p.Cache, p.Memory, p.Algorithm, p.Root, p.Start, p.Skew, p.Check, p.Class, text(p.Options),
		p.Ranks, p.Window, p.Groups, p.Threads, p.Copies, p.InPlace, p.Size,
	}
	k := r.known[t]
	if k == nil {
		k = &group{first: p}
		r.known[t] = k
	}
	return k
}

// text formats options in sorted order, so that equal options give equal text.
func text(options map[string]string) string {
	var names [16]string
	sorted := names[:0]
	for name := range options {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(options[name])
		b.WriteByte(' ')
	}
	return b.String()
}

// representatives returns the first point of each group, in the order of the points.
func representatives(points []Point) []Point {
	seen := map[*group]bool{}
	var some []Point
	for _, p := range points {
		if !seen[p.group] {
			seen[p.group] = true
			some = append(some, p)
		}
	}
	return some
}
