package figure

import (
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// A part holds the points of one figure of a kind.
type part struct {
	name   string // appended to the name of the figure; empty if there is one part
	time   string // metric that is the time of the points, see cell.ByTime
	points []cell.Point
}

// by groups points by the level of a factor, in the order of first appearance.
func by(points []cell.Point, f cell.Factor) []part {
	return collect.Each(collect.By(points, f.Of), func(some []cell.Point) part { return part{name: f.Of(some[0]), points: some} })
}

// readable divides points by factors into parts with at most style.MaxSeries series, as far as
// possible. count returns the number of series of points.
func readable(points []cell.Point, count func([]cell.Point) int) []part {
	parts := []part{{points: points}}
	for _, f := range []cell.Factor{cell.Level, cell.Host, cell.Ranks, cell.File, cell.Transport} {
		var finer []part
		for _, p := range parts {
			if count(p.points) <= style.MaxSeries {
				finer = append(finer, p)
				continue
			}
			pieces := by(p.points, f)
			alone := !slices.ContainsFunc(pieces, func(piece part) bool { return count(piece.points) > 1 })
			if len(pieces) == 1 || alone { // a figure for each series would compare nothing
				finer = append(finer, p)
				continue
			}
			for _, piece := range pieces {
				finer = append(finer, part{name: strings.TrimPrefix(p.name+"-"+piece.name, "-"), points: piece.points})
			}
		}
		parts = finer
	}
	return parts
}

// eachPart draws parts. A part has no figure if draw returns nil.
func eachPart(parts []part, draw func(part) *Figure) []*Figure {
	var all []*Figure
	for _, p := range parts {
		if f := draw(p); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// eachBench draws the points of each benchmark, in readable parts with one time metric.
func eachBench(points []cell.Point, count func([]cell.Point) int, draw func(bench string, p part) *Figure) []*Figure {
	var all []*Figure
	for _, bench := range byInterest(by(points, cell.Bench)) {
		times := cell.ByTime(bench.points)
		for _, t := range times {
			all = append(all, eachPart(readable(t.Points, count), func(p part) *Figure {
				if p.time = t.Key; len(times) > 1 {
					p.name = t.Key + "-" + p.name
				}
				f := draw(bench.name, p)
				if f != nil && p.name != "" {
					f.whole = strings.Replace(f.Name, "-"+file(p.name), "", 1)
				}
				return f
			})...)
		}
	}
	return all
}

// longest bounds a word of a file name. File systems limit names to 255 bytes.
const longest = 48

// file builds a file name from parts of text.
func file(parts ...string) string {
	var words []string
	for _, p := range parts {
		word := strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
				return r
			default:
				return '-'
			}
		}, p)
		for strings.Contains(word, "--") {
			word = strings.ReplaceAll(word, "--", "-")
		}
		if word = strings.Trim(word, "-"); word != "" {
			words = append(words, word[:min(len(word), longest)])
		}
	}
	return strings.Join(words, "-")
}

// values returns the distinct X of series, sorted.
func values(all []cell.Series) []float64 {
	var xs []float64
	for _, s := range all {
		xs = append(xs, collect.Each(s.Cells, func(c cell.Cell) float64 { return c.X })...)
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}
