package cell

import (
	"cmp"
	"math"
	"slices"

	"gobench/internal/collect"
	"gobench/record"
)

// A Contest is the series of one panel or table, which are compared by one metric.
type Contest struct {
	Metric string // a key of record.Metrics, whose Direction says what is better; else lower is
	Series []Series
}

// Rank returns the names of all series of the contests, in the order in which they are shown. A
// position is a value of X, such as a size. The order depends on results and on what was compared,
// never on the names:
//
//  1. the series that is best at most positions, and the one that the defaults choose most often,
//  2. the best one of each library, so that gobench is beside its rivals, and of each transport,
//  3. the others that are best at a position, then those that the defaults choose, then those that
//     are best at a position among the series of their library and transport,
//  4. the rest by their mean distance from the best.
//
// If series differ only in the hosts or cores of the ranks, the best one is followed by the worst
// ones, because a survey of places looks for these.
func Rank(contests ...Contest) (names []string) {
	order := standings(contests)
	add := func(s *standing) { names = collect.Union(names, s.name) }
	addAll := func(of func(*standing) int) {
		some := slices.DeleteFunc(slices.Clone(order), func(s *standing) bool { return of(s) == 0 })
		slices.SortStableFunc(some, func(a, b *standing) int { return cmp.Compare(of(b), of(a)) })
		for _, s := range some {
			add(s)
		}
	}
	if len(order) > 0 {
		add(order[0])
	}
	if assignmentsOnly(order) {
		for _, s := range slices.Backward(order) {
			add(s)
		}
		return names
	}
	if i := usualIndex(order); i >= 0 {
		add(order[i])
	}
	for _, f := range []Factor{Library, Transport} {
		for _, s := range collect.First(order, func(s *standing) string { return f.Of(s.point) }) {
			add(s)
		}
	}
	addAll(func(s *standing) int { return s.best })
	addAll(func(s *standing) int { return s.usual })
	addAll(func(s *standing) int { return s.bestOfKind })
	for _, s := range order {
		add(s)
	}
	return names
}

// A standing is the result of a series over all positions of all contests.
type standing struct {
	name       string
	point      Point   // the first one
	best       int     // positions at which it is the best of all
	bestOfKind int     // positions at which it is the best of its library and transport
	usual      int     // positions at which the defaults choose it
	behind     float64 // sum over the positions of the distances from the best, as logarithms
	positions  int
}

// kind returns the library and the transport of a series.
func (s *standing) kind() string { return Library.Of(s.point) + "\x00" + Transport.Of(s.point) }

// A position is one of the series of a kind, or of everyKind.
type position struct {
	x    float64
	kind string
}

const everyKind = ""

// standings returns the standings of all series, the one with most best positions first; of
// several, the one that is nearest to the best.
func standings(contests []Contest) []*standing {
	var order []*standing
	by := map[string]*standing{}
	for _, c := range contests {
		better := func(a, b float64) bool { return a < b }
		if m, ok := record.Lookup(c.Metric); ok && m.Direction == record.Higher {
			better = func(a, b float64) bool { return a > b }
		}
		best := map[position]float64{}
		for _, s := range c.Series {
			if len(s.Cells) == 0 {
				continue
			}
			if by[s.Name] == nil {
				by[s.Name] = &standing{name: s.Name, point: s.Cells[0].Points[0]}
				order = append(order, by[s.Name])
			}
			kind := by[s.Name].kind()
			for _, one := range s.Cells {
				for _, at := range []position{{one.X, everyKind}, {one.X, kind}} {
					if v, ok := best[at]; !ok || better(one.Median, v) {
						best[at] = one.Median
					}
				}
			}
		}
		for _, s := range c.Series {
			if len(s.Cells) == 0 {
				continue
			}
			at := by[s.Name]
			for _, one := range s.Cells {
				at.positions++
				if first := best[position{one.X, everyKind}]; one.Median == first {
					at.best++
				} else if one.Median > 0 && first > 0 {
					at.behind += math.Abs(math.Log(one.Median / first))
				}
				if one.Median == best[position{one.X, at.kind()}] {
					at.bestOfKind++
				}
				if slices.ContainsFunc(one.Points, func(p Point) bool { return p.ByTable }) {
					at.usual++
				}
			}
		}
	}
	slices.SortFunc(order, func(a, b *standing) int {
		return cmp.Or(cmp.Compare(b.best, a.best), cmp.Compare(a.behind/float64(a.positions), b.behind/float64(b.positions)), natural(a.name, b.name))
	})
	return order
}

// usualIndex returns the index of the series that the defaults choose most often, -1 if none is
// known.
func usualIndex(order []*standing) int {
	best := -1
	for i, s := range order {
		if s.usual > 0 && (best < 0 || s.usual > order[best].usual) {
			best = i
		}
	}
	return best
}

// assignmentsOnly reports whether series differ in the hosts or cores of the ranks, and in nothing
// else.
func assignmentsOnly(order []*standing) bool {
	for _, s := range order {
		for _, f := range factors {
			if f.Name != Cores.Name && f.Name != HostMap.Name && f.Name != Host.Name && f.Of(s.point) != f.Of(order[0].point) {
				return false
			}
		}
	}
	return len(order) > 1
}
