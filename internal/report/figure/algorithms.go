package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// Bounds of the figures of algorithms: the series from which on Best draws, its rows, and the ratio
// whose colour is the darkest.
const (
	bestFrom   = 3
	bestRows   = 40
	bestShaded = 10
)

// Best draws the time of each series of a collective as a multiple of that of the fastest one at
// each size, a matrix for each number of ranks and each medium. All series have a row, so that a
// comparison of many algorithms can be read, which as lines cover each other.
func Best(s *cell.Set) []*Figure {
	one := func([]cell.Point) int { return 1 } // figures are not divided
	return eachBench(collectives(s), one, func(op string, p part) *Figure {
		factors := cell.DistinguishingFactors(p.points, size, cell.Ranks)
		f := &Figure{Name: file(op, p.name, "best"), Title: headline(op) + ": time as a multiple of the fastest, " + surroundings(p.points)}
		rows, left := 0, 0
		var drawn [][]cell.Series
		for _, n := range byRanks(by(p.points, ranksAndMedium(p.points))) {
			series := cell.SplitBy(n.points, p.time, size, factors)
			if len(series) < bestFrom {
				continue
			}
			ranked := cell.Rank(cell.Contest{Metric: p.time, Series: series})
			slices.SortFunc(series, func(a, b cell.Series) int { return slices.Index(ranked, a.Name) - slices.Index(ranked, b.Name) })
			left = max(left, len(series)-bestRows)
			series = series[:min(len(series), bestRows)]
			rows = max(rows, len(series))
			f.Rows = append(f.Rows, []*Panel{multiples(n.name, series, p.time)})
			drawn = append(drawn, series)
		}
		if len(drawn) == 0 {
			return nil
		}
		f.Rows[len(f.Rows)-1][0].XLabel = "message size"
		f.Height = vg.Length(rows)*13 + 40
		f.Caption = join(sentence(op, cell.Common(p.points)), "Fields: time over that of the fastest series at the same size; the darker the slower, from 10 on darkest; white: not measured. *: the choice of the defaults.", whatTime(p.time, p.points), replication(drawn...), caveats(p.points))
		f.measured(p.points)
		if left > 0 {
			f.Remarks = append(f.Remarks, human.Count(left, "slower series is", "slower series are")+" not drawn")
		}
		return f
	})
}

// byRanks sorts parts by their number of ranks, the smallest first.
func byRanks(parts []part) []part {
	slices.SortStableFunc(parts, func(a, b part) int { return a.points[0].Ranks - b.points[0].Ranks })
	return parts
}

// ranksAndMedium returns the factor of the number of ranks, and of the medium if points have
// several.
func ranksAndMedium(points []cell.Point) cell.Factor {
	media := map[cell.Medium]bool{}
	for _, p := range points {
		media[p.Medium()] = true
	}
	return cell.Factor{Name: "panel", Of: func(p cell.Point) string {
		name := cell.Ranks.Of(p)
		if len(media) > 1 {
			name += ", " + map[cell.Medium]string{cell.Unknown: "unknown medium", cell.Memory: "shared memory", cell.Network: "network"}[p.Medium()]
		}
		return name
	}}
}

// multiples returns the matrix of series, each divided by the fastest at each size.
func multiples(heading string, series []cell.Series, metric string) *Panel {
	sizes := values(series)
	fastest := map[float64]cell.Cell{}
	for _, s := range series {
		for _, c := range s.Cells {
			if best, ok := fastest[c.X]; !ok || c.Median < best.Median {
				fastest[c.X] = c
			}
		}
	}
	h := Heat{Lo: 1, Hi: bestShaded}
	var names []string
	for i, s := range series {
		names = append(names, s.Name)
		h.Row(len(sizes))
		for _, c := range s.Cells {
			ratio := c.Over(fastest[c.X])
			label, text := fmt.Sprintf("%.*f", digitsOf(ratio.Median), ratio.Median), ""
			if ratio.Lo > 0 && c.Median != fastest[c.X].Median {
				text = fmt.Sprintf(" (%s to %s)", style.Number(ratio.Lo), style.Number(ratio.Hi))
			}
			if slices.ContainsFunc(c.Points, func(p cell.Point) bool { return p.ByTable }) {
				label += "*"
			}
			h.Set(i, slices.Index(sizes, c.X), ratio.Median, label, fmt.Sprintf("%s: %s times the fastest%s, %s, %s",
				strings.TrimPrefix(s.Name+", "+bySize(c), ", "), style.Number(ratio.Median), text, micros.write(c.Median), human.Count(c.Launches(), "launch", "launches")))
		}
	}
	return h.Panel(heading, columnsOf(sizes), names)
}

// digitsOf returns the decimals of a ratio in a field.
func digitsOf(ratio float64) int {
	if ratio < 9.95 {
		return 1
	}
	return 0
}

// columnsOf returns the names of columns of sizes.
func columnsOf(sizes []float64) (names []string) {
	return collect.Each(sizes, func(x float64) string { return style.Size(int64(x)) })
}

// Choice draws the fastest algorithm of a collective for each size and number of ranks, which is
// the table from which a library chooses its algorithms.
func Choice(s *cell.Set) []*Figure {
	one := func([]cell.Point) int { return 1 }
	return eachBench(collectives(s), one, func(op string, p part) *Figure {
		factors := cell.DistinguishingFactors(p.points, size, cell.Ranks)
		at := slices.IndexFunc(factors, func(f cell.Factor) bool { return f.Name == cell.Algorithm.Name })
		if at < 0 || len(by(p.points, cell.Ranks)) < 2 {
			return nil
		}
		others := slices.Delete(slices.Clone(factors), at, at+1)
		f := &Figure{Name: file(op, p.name, "choice"), Title: headline(op) + ": the fastest algorithm, " + surroundings(p.points)}
		var algorithms []string
		var panels []*Panel
		for _, group := range by(p.points, cell.Factor{Name: "series", Of: func(p cell.Point) string { return cell.Label(p, others) }}) {
			h, names, sizes := fastest(group.points, p.time, &algorithms)
			panels = append(panels, h.Panel(group.name, columnsOf(sizes), names))
			f.Height = max(f.Height, vg.Length(len(names))*17+50)
		}
		for _, p := range panels { // all panels have the same shades
			h := p.Layers[0].(Heat)
			h.Lo, h.Hi = 1, float64(len(algorithms))
			p.Layers[0] = h
			f.Rows = append(f.Rows, []*Panel{p})
		}
		f.Rows[len(f.Rows)-1][0].XLabel = "message size"
		h := Heat{Lo: 1, Hi: float64(len(algorithms))}
		for i, name := range algorithms {
			f.Keys = append(f.Keys, Key{Name: name, Look: style.Series{Color: h.color(float64(i + 1))}, Area: true})
		}
		f.Caption = join(sentence(op, cell.Common(p.points)), "Fields: the algorithm with the lowest median time; white: not measured. Rows: ranks.", whatTime(p.time, p.points), caveats(p.points))
		f.measured(p.points)
		return f
	})
}

// fastest returns the matrix of the fastest algorithms over ranks and sizes, as numbers from 1 in a
// list to which it adds those that it lacks.
func fastest(points []cell.Point, metric string, algorithms *[]string) (h Heat, names []string, sizes []float64) {
	sizes = values(cell.SplitBy(points, metric, size, nil))
	for i, n := range byRanks(by(points, cell.Ranks)) {
		names = append(names, n.name)
		h.Row(len(sizes))
		best := map[float64]cell.Cell{}
		second := map[float64]float64{}
		for _, s := range cell.SplitBy(n.points, metric, size, []cell.Factor{cell.Algorithm}) {
			for _, c := range s.Cells {
				switch b, ok := best[c.X]; {
				case !ok:
					best[c.X], second[c.X] = c, math.Inf(1)
				case c.Median < b.Median:
					best[c.X], second[c.X] = c, b.Median
				default:
					second[c.X] = min(second[c.X], c.Median)
				}
			}
		}
		for column, x := range sizes {
			c, ok := best[x]
			if !ok {
				continue
			}
			name := c.Points[0].Algorithm
			*algorithms = collect.Union(*algorithms, name)
			text := fmt.Sprintf("%s, %s: %s, %s", n.name, bySize(c), name, micros.write(c.Median))
			if s := second[x]; !math.IsInf(s, 1) {
				text += ", the next one " + micros.write(s)
			}
			h.Set(i, column, float64(1+slices.Index(*algorithms, name)), name, text)
		}
	}
	return h, names, sizes
}
