package cell

import (
	"slices"
)

// Telling returns the factors that tell series apart, as few as do. A factor
// that always changes together with one before it is not among them.
//
// The algorithm of a collective, and how its ranks begin, count only where the same cell was
// done in several ways: else the program chose by the size, and one line has several.
func Telling(points []Point, x func(Point) float64, along ...Factor) []Factor {
	every := points
	points = representatives(points)
	extra := options(points)
	// Options explain more than where and in which file a record is.
	candidates := slices.Concat(factors[:len(factors)-2], extra, factors[len(factors)-2:])
	candidates = slices.DeleteFunc(candidates, func(f Factor) bool {
		return slices.ContainsFunc(along, func(a Factor) bool { return a.Name == f.Name }) || !varies(points, f)
	})
	for _, chosen := range []Factor{Algorithm, Start} {
		if i := slices.IndexFunc(candidates, func(f Factor) bool { return f.Name == chosen.Name }); i >= 0 {
			if !rivals(every, chosen, x, slices.Delete(slices.Clone(candidates), i, i+1)) {
				candidates = slices.Delete(candidates, i, i+1)
			}
		}
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(candidates), i, i+1)
		// An option may follow from where a point is on the axis, as room for
		// messages does from the number of ranks.
		among := along
		if !slices.ContainsFunc(extra, func(f Factor) bool { return f.Name == candidates[i].Name }) {
			among = nil
		}
		if classes(points, slices.Concat(without, among)) == classes(points, slices.Concat(candidates, among)) {
			candidates = without
		}
	}
	return candidates
}

func varies(points []Point, f Factor) bool {
	for i := range points {
		if f.Of(points[i]) != f.Of(points[0]) {
			return true
		}
	}
	return false
}

// classes counts the groups into which factors divide the points.
func classes(points []Point, by []Factor) int {
	seen := map[string]bool{}
	for _, p := range points {
		seen[label(p, by)] = true
	}
	return len(seen)
}

// rivals reports whether the same cell of the same run was done with more than one level of
// what the program may choose: it was asked for then, and is a factor.
func rivals(points []Point, chosen Factor, x func(Point) float64, by []Factor) bool {
	type cell struct {
		run, name string
		x         float64
	}
	did := map[cell]string{}
	for _, p := range points {
		c := cell{p.Point.Run, label(p, by), x(p)}
		level := chosen.Of(p)
		if other, ok := did[c]; ok && other != level {
			return true
		}
		did[c] = level
	}
	return false
}

// Common returns the levels of factors that all points share, for captions:
// "pingpong", "level device", "2 ranks".
func Common(points []Point) []string {
	var words []string
	points = representatives(points)
	for _, f := range factors {
		if f.Name == File.Name || len(points) == 0 || varies(points, f) {
			continue
		}
		s := f.Of(points[0])
		switch f.Name {
		case Bench.Name:
			s = BenchName(s)
		case Library.Name:
			if s == gobench {
				s = ""
			}
		case Level.Name:
			s = prefixed("level ", s)
		case Host.Name:
			s = prefixed("on ", s)
		case Transport.Name:
			s = prefixed("over ", s)
		case Algorithm.Name:
			s = prefixed("algorithm ", s)
		}
		if s != "" && !f.unsaid(points[0]) {
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
