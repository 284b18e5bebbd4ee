package cell

import (
	"slices"
	"strings"

	"gobench/report/host"
)

// kin is all points of a set whose factors are alike. There are few of them
// where there are many points, so questions about factors are asked of kin.
type kin struct{ first Point }

// tuple is all factors of a point in a form that can be looked up.
type tuple struct {
	file, host                             string
	bench, library, transport, level, kind string
	cache, memory, algorithm, root, start  string
	skew, check, class, options            string
	ranks, window, groups, threads, copies int
	inPlace                                bool
	size                                   int64
}

// relatives finds the kin of points.
type relatives struct {
	known map[tuple]*kin
	hosts map[any]string // of runs
}

func newRelatives() *relatives {
	return &relatives{known: map[tuple]*kin{}, hosts: map[any]string{}}
}

func (r *relatives) of(p Point) *kin {
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
		k = &kin{first: p}
		r.known[t] = k
	}
	return k
}

// text writes options so that equal ones are equal.
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

// representatives are one point of each kin, in the order of the points.
func representatives(points []Point) []Point {
	seen := map[*kin]bool{}
	var some []Point
	for _, p := range points {
		if !seen[p.kin] {
			seen[p.kin] = true
			some = append(some, p)
		}
	}
	return some
}
