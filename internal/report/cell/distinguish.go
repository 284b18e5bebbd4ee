package cell

import (
	"cmp"
	"slices"
	"strings"

	"gobench/internal/collect"
)

// DistinguishingFactors returns a minimal set of factors that separates the series. A factor that
// always changes together with an earlier one is left out, unless series would have no name.
//
// The algorithm of a collective is a factor only if the same cell was measured with several of
// them, the start mode of its ranks only if that is so with and without a start, and the cores of
// the ranks only if one command used several. Otherwise the program chose them (it starts ranks by
// a barrier where they are late for announced starts), and one series has several.
func DistinguishingFactors(points []Point, x func(Point) float64, along ...Factor) []Factor {
	every := points
	points = representatives(points)
	anyone := func(Point) string { return "" }
	extra := options(points)
	// Options come before facts of the run, because they explain more.
	candidates := slices.Concat(factors[:len(factors)-len(ofRun)], extra, ofRun)
	overRanks := slices.ContainsFunc(along, func(a Factor) bool { return a.Name == Ranks.Name })
	cluster := clusterOf(points)
	if overRanks {
		candidates[slices.IndexFunc(candidates, func(f Factor) bool { return f.Name == Host.Name })] = cluster
	}
	candidates = slices.DeleteFunc(candidates, func(f Factor) bool {
		return slices.ContainsFunc(along, func(a Factor) bool { return a.Name == f.Name }) || !varies(points, f)
	})
	// The size of packets and the placement on hosts may also follow from the position, because one
	// rank uses no network, and more ranks take more hosts. The placement then follows from the
	// policy and the cluster, too.
	for _, follows := range []Factor{mtu, HostMap} {
		from := along
		if follows.Name == HostMap.Name && overRanks {
			from = slices.Concat(along, []Factor{placement, cluster})
		}
		if classes(points, slices.Concat(from, []Factor{follows})) == classes(points, from) {
			candidates = slices.DeleteFunc(candidates, func(f Factor) bool { return f.Name == follows.Name })
		}
	}
	unstarted := Factor{Start.Name, func(p Point) string {
		if p.Start == "none" {
			return p.Start
		}
		return ""
	}}
	for _, chosen := range []struct {
		Factor
		by func(Point) string // who chose it
	}{{Algorithm, anyone}, {unstarted, anyone}, {Cores, Point.command}} {
		if i := slices.IndexFunc(candidates, func(f Factor) bool { return f.Name == chosen.Name }); i >= 0 {
			among := every
			if chosen.Name == Cores.Name {
				among = Every(every) // launches of a row may be of several commands
			}
			if !rivals(among, chosen.Factor, chosen.by, x, slices.Delete(slices.Clone(candidates), i, i+1)) {
				candidates = slices.Delete(candidates, i, i+1)
			}
		}
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(candidates), i, i+1)
		// An option may follow from the position on the axis, as buffer sizes follow from the
		// number of ranks.
		among := along
		if !slices.ContainsFunc(extra, func(f Factor) bool { return f.Name == candidates[i].Name }) {
			among = nil
		}
		if classes(points, slices.Concat(without, among)) != classes(points, slices.Concat(candidates, among)) {
			continue
		}
		if classes(points, without) == 1 || named(points, without) == named(points, candidates) {
			candidates = without
		}
	}
	return candidates
}

// clusterOf returns a factor in place of Host for lines over the number of ranks, which take more
// hosts as they grow: the largest set of hosts of any point that contains those of a point.
func clusterOf(points []Point) Factor {
	sets := collect.Each(collect.First(points, Host.Of), func(p Point) []string { return strings.Split(Host.Of(p), ",") })
	slices.SortStableFunc(sets, func(a, b []string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), natural(strings.Join(a, ","), strings.Join(b, ",")))
	})
	within := map[string]string{}
	for _, names := range sets {
		largest := slices.IndexFunc(sets, func(set []string) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(set, name) })
		})
		within[strings.Join(names, ",")] = strings.Join(sets[largest], ",")
	}
	return Factor{Host.Name, func(p Point) string { return within[Host.Of(p)] }}
}

func varies(points []Point, f Factor) bool {
	return slices.ContainsFunc(points, func(p Point) bool { return f.Of(p) != f.Of(points[0]) })
}

// classes returns the number of groups into which the factors divide the points.
func classes(points []Point, by []Factor) int {
	seen := map[string]bool{}
	for _, p := range points {
		seen[Label(p, by)] = true
	}
	return len(seen)
}

// named returns the number of points with a name from these factors, which may apply to some points
// only.
func named(points []Point, by []Factor) int {
	return len(collect.If(points, func(p Point) bool { return Label(p, by) != "" }))
}

// rivals reports whether the same cell was measured with several levels of a factor where who
// returns the same. The user then requested them; otherwise the program chose the level.
func rivals(points []Point, chosen Factor, who func(Point) string, x func(Point) float64, by []Factor) bool {
	type cell struct {
		who, name string
		x         float64
	}
	did := map[cell]string{}
	label := labels(by)
	for _, p := range points {
		c := cell{who(p), label(p), x(p)}
		level := chosen.Of(p)
		if other, ok := did[c]; ok && other != level {
			return true
		}
		did[c] = level
	}
	return false
}

// introduced has the words before the levels of some factors.
var introduced = map[string]string{
	Named.Name: "labelled ", Level.Name: "level ", Host.Name: "on ", Transport.Name: "over ", Algorithm.Name: "algorithm ",
}

// Common returns the levels of factors that all points share, for captions:
// "pingpong", "level device", "2 ranks".
func Common(points []Point) []string {
	var words []string
	points = representatives(points)
	for _, f := range factors {
		if f.Name == File.Name || f.Name == Cores.Name || len(points) == 0 || varies(points, f) {
			continue
		}
		s := f.Of(points[0])
		switch {
		case f.Name == Bench.Name:
			s = BenchName(s)
		case f.Name == Library.Name && s == gobench:
			s = ""
		default:
			s = prefixed(introduced[f.Name], s)
		}
		if s != "" && !f.isDefault(points[0]) {
			words = append(words, s)
		}
	}
	return words
}

func prefixed(what, s string) string {
	if s == "" {
		return ""
	}
	return what + s
}
