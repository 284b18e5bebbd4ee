package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
)

// collective reports whether a point is of a collective operation.
func collective(p cell.Point) bool {
	return p.Has("aggregate_Bps") || p.Has("busbw_Bps") || p.TimeKey() == "global_s" || p.TimeKey() == "local_s"
}

// Collectives draws time and bus bandwidth of collectives over message size, one figure for each
// operation.
func Collectives(s *cell.Set) []*Figure {
	return eachBench(collectives(s), seriesOverSize, func(op string, p part) *Figure { return overSize(op, p, belowTime...) })
}

// Aggregate draws the aggregated bandwidth of collectives over message size, as the thesis does.
func Aggregate(s *cell.Set) []*Figure {
	return eachBench(collectives(s), seriesOverSize, func(op string, p part) *Figure { return aloneOverSize(op, "aggregate", aggregated, p) })
}

// Overlap draws which share of a transfer or non-blocking collective a computation hides, over
// message size, one figure for each benchmark.
func Overlap(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return p.Metrics.Has(hidden.metric) })
	return eachBench(points, seriesOverSize, func(bench string, p part) *Figure { return aloneOverSize(bench, "overlap", hidden, p) })
}

// Processor draws what an iteration costs the processors, over message size, one figure for each
// benchmark.
func Processor(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return p.Metrics.Has(busy.metric) })
	return eachBench(points, seriesOverSize, func(bench string, p part) *Figure { return aloneOverSize(bench, "processor", busy, p) })
}

// collectives returns the points of collectives that have a size.
func collectives(s *cell.Set) []cell.Point {
	return s.Where(func(p cell.Point) bool { return collective(p) && p.Bench != "barrier" })
}

// The bandwidths of a collective differ by a constant factor, so only one is drawn: bus bandwidth
// over sizes, because it shows the use of links, and aggregated bandwidth over ranks, as in the
// thesis.
var (
	belowTime    = []quantity{bus, aggregated}
	againstRanks = []quantity{aggregated, bus}

	// F-MPJ's authors count the ranks that receive.
	delivered  = quantity{"delivered_Bps", "delivered bandwidth, GB/s", "Delivered bandwidth: size x (ranks - 1) / time."}
	bus        = quantity{"busbw_Bps", "bus bandwidth, GB/s", "Bus bandwidth: what each link would carry if the algorithm were ideal."}
	aggregated = quantity{"aggregate_Bps", "aggregated bandwidth, GB/s", "Aggregated bandwidth: size x ranks / time."}
	busy       = quantity{"processor_s", "processor time of a rank, µs", "Processor time: of a rank for one iteration, in the program and in the kernel, mean over the ranks. Ranks that poll are always busy."}
	hidden     = quantity{"overlap_ratio", "overlap with computation", "Overlap: the share of the shorter of operation and computation that the other hides."}
)

// aloneOverSize draws a quantity over message size in its own figure. It returns nil if no
// point has it.
func aloneOverSize(bench, name string, q quantity, p part) *Figure {
	if !q.in(p.points) {
		return nil
	}
	f := &Figure{Name: file(bench, name, p.name), Title: title(bench, p.points), Height: 9 * style.Row / 6}
	panel, series := f.sizePanel(p.points, cell.DistinguishingFactors(p.points, size), q)
	if unitOf(q.metric) == giga {
		q.means = join(q.means, "1 GB/s = 10^9 B/s.")
	}
	f.Rows = [][]*Panel{{panel}}
	f.Caption = join(sentence(bench, cell.Common(p.points)), mixed(series), q.means, replication(series), cacheLines(p.points), switches(series), markedCaveats(p.points))
	f.measured(p.points)
	return f
}

// join concatenates sentences.
func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// whatTime explains the metric of a time. points are those that a figure draws.
func whatTime(key string, points []cell.Point) string {
	switch key {
	case "global_s":
		return "Time: from the first entry to the last exit of any rank, on one clock."
	case "local_s":
		of := map[bool]int{} // whether a time is the mean over ranks, which some logs of other programs print
		for _, p := range points {
			if v, ok := p.Metrics.Lookup(key); ok {
				of[v.Statistic == record.RankMean]++
			}
		}
		switch {
		case of[true] == 0:
			return "Time: of the slowest rank, each on its own clock."
		case of[false] == 0:
			return "Time: mean over ranks, each on its own clock."
		}
		return "Time: of the slowest rank, or, of programs that do not print it, mean over ranks; each on its own clock."
	default:
		return ""
	}
}

func ranks(p cell.Point) float64 { return float64(p.Ranks) }

// Scaling draws the bandwidth of collectives over the number of ranks, one figure for each
// operation and one panel for each size. It draws nothing if all points have the same number of
// ranks.
func Scaling(s *cell.Set) []*Figure { return ratesOverRanks(s, "ranks", againstRanks...) }

// Delivered is Scaling with the bandwidth of all ranks but one, as in F-MPJ's figures, if records
// have it.
func Delivered(s *cell.Set) []*Figure { return ratesOverRanks(s, "delivered", delivered, aggregated) }

// ratesOverRanks draws the first of the quantities that there is.
func ratesOverRanks(s *cell.Set, name string, quantities ...quantity) []*Figure {
	points := slices.DeleteFunc(collectives(s), func(p cell.Point) bool { return p.Groups > 1 })
	return eachPart(byInterest(by(points, cell.Bench)), func(op part) *Figure {
		shared, of := manySized(op.points)
		if len(shared) == 0 {
			return nil
		}
		f := collectiveOverRanks(op.name, name, shared, quantities)
		if f != nil && of > maxSizes {
			f.Remarks = append(f.Remarks, fmt.Sprintf("%d of %d sizes are drawn: the smallest, the largest, and sizes between them", maxSizes, of))
		}
		return f
	})
}

// manySized returns the points of at most maxSizes sizes that were measured with the most numbers
// of ranks, preferably including 32 KiB, the size of the thesis, and the number of sizes that were.
// It returns nil if no size was measured with two numbers of ranks.
func manySized(points []cell.Point) (some []cell.Point, of int) {
	counts := map[int64]map[int]bool{}
	for _, p := range points {
		if counts[p.Size] == nil {
			counts[p.Size] = map[int]bool{}
		}
		counts[p.Size][p.Ranks] = true
	}
	largest := 0
	for _, n := range counts {
		largest = max(largest, len(n))
	}
	if largest < 2 {
		return nil, 0
	}
	var sizes []int64
	for size, n := range counts {
		if len(n) == largest {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	keep := map[int64]bool{}
	if slices.Contains(sizes, 32<<10) {
		keep[32<<10] = true
	}
	for _, i := range []int{0, len(sizes) - 1, len(sizes) / 2, len(sizes) / 4} {
		if len(keep) < maxSizes {
			keep[sizes[i]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(points), func(p cell.Point) bool {
		return !keep[p.Size] || len(counts[p.Size]) < largest
	}), len(sizes)
}

// maxSizes bounds the panels of a figure over the number of ranks.
const maxSizes = 4

func collectiveOverRanks(op, name string, points []cell.Point, quantities []quantity) *Figure {
	f := &Figure{Name: file(op, name), Title: headline(op) + " against the number of ranks: " + human.Enumerate(levelsOf(points, cell.Transport), "and"), Height: 0.85 * style.Row}
	at := slices.IndexFunc(quantities, func(q quantity) bool { return q.in(points) })
	if at < 0 {
		return nil
	}
	b := quantities[at]
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b cell.Point) int { return cmp.Compare(a.Size, b.Size) })
	cells := func(p cell.Point) float64 { return size(p)*float64(1<<20) + ranks(p) } // distinct for all sizes and ranks
	factors := cell.DistinguishingFactors(points, cells, cell.Ranks, cell.Size)
	f.choose(collect.Each(by(points, cell.Size), func(size part) cell.Contest {
		return cell.Contest{Metric: b.metric, Series: cell.SplitBy(size.points, b.metric, ranks, factors)}
	})...)
	whole := f.limited(b.metric, cell.SplitBy(points, b.metric, ranks, factors))
	var panels []*Panel
	var drawn [][]cell.Series
	for _, size := range by(points, cell.Size) {
		series := f.limited(b.metric, cell.SplitBy(size.points, b.metric, ranks, factors))
		if len(series) == 0 {
			continue
		}
		where := func(c cell.Cell) string { return size.name + " on " + cell.RanksName(int(c.X)) }
		panel := NewPanel(size.name)
		panel.LogY()
		panel.CountX("ranks", values(whole))
		panel.YLabel = b.label
		panel.Bench, panel.Shows = op, Quantity{b.metric, giga.scale}
		f.markOversubscribed(panel, size.points)
		panel.Add(Grid{})
		panel.join(f.curves(series, giga, where)...)
		panels, drawn = append(panels, panel), append(drawn, series)
	}
	f.Rows = grid(panels)
	f.Caption = join(sentence(op, cell.Common(points)), b.means, replication(drawn...), "Lines join measured numbers of ranks to guide the eye.", markedCaveats(points))
	f.measured(points)
	return f
}

// grid arranges panels in rows of two. Axis labels that the panel below or to the left repeats are
// dropped.
func grid(panels []*Panel) (rows [][]*Panel) {
	if len(panels) == 1 {
		return [][]*Panel{panels}
	}
	for i := 0; i < len(panels); i += 2 {
		row := []*Panel{panels[i], nil}
		if i+1 < len(panels) {
			row[1] = panels[i+1]
			row[1].YLabel = ""
		}
		rows = append(rows, row)
	}
	for i, p := range panels {
		if i+2 < len(panels) {
			p.XLabel = ""
		}
	}
	return rows
}
