package figure

import (
	"slices"
	"strings"

	"gobench/report/cell"
	"gobench/report/style"
)

// cores returns the number of cores that a point of an application uses, one for each thread.
func cores(p cell.Point) float64 { return float64(p.Ranks * max(1, p.Threads)) }

// Hybrid draws rate and speedup of applications over the number of cores, ranks times threads, with
// a line for each number of threads of a rank, and one for threads alone (thesis, figure 7.11). It
// draws applications that were measured with several numbers of threads, and the one-zone versions
// of these.
func Hybrid(s *cell.Set) []*Figure {
	var all []*Figure
	for _, class := range by(s.Where(application), cell.Class) {
		benches := by(class.points, cell.Bench)
		threaded := map[string]bool{} // applications with several numbers of threads, and their one-zone versions
		for _, b := range benches {
			if len(by(b.points, cell.Threads)) > 1 {
				threaded[b.name], threaded[strings.TrimSuffix(b.name, "-mz")] = true, true
			}
		}
		benches = slices.DeleteFunc(benches, func(b part) bool {
			_, rate := b.points[0].Metrics["mops"]
			return !rate || !threaded[b.name]
		})
		slices.SortFunc(benches, func(a, b part) int { return strings.Compare(a.name, b.name) })
		if f := hybridFigure(class.name, benches); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// splits returns the series of a metric of an application over cores: one for each number of
// threads per rank, and one for the threads of a single rank. factors separate further series.
func splits(points []cell.Point, metric string, factors []cell.Factor) []cell.Series {
	threads := cell.Factor{Name: "split", Of: func(p cell.Point) string {
		return cell.Plural(max(1, p.Threads), "thread", "threads") + " per rank"
	}}
	series := cell.SplitBy(points, metric, cores, append(slices.Clone(factors), threads))
	var alone []cell.Point
	for _, p := range points {
		if p.Ranks == 1 {
			alone = append(alone, p)
		}
	}
	for _, one := range cell.SplitBy(alone, metric, cores, factors) {
		one.Name = strings.TrimPrefix(one.Name+", threads alone", ", ")
		series = append(series, one)
	}
	return slices.DeleteFunc(series, func(s cell.Series) bool { return len(s.Cells) == 0 })
}

func hybridFigure(class string, benches []part) *Figure {
	f := &Figure{Height: 0.85 * style.Row, Name: file("hybrid", class), Title: "Ranks and threads: rate and speedup, " + class}
	var points []cell.Point
	for _, b := range benches {
		points = append(points, b.points...)
	}
	if len(points) == 0 {
		return nil
	}
	factors := slices.DeleteFunc(cell.DistinguishingFactors(points, cores, cell.Ranks, cell.Bench), func(f cell.Factor) bool { return f.Name == cell.Threads.Name })
	var drawn [][]cell.Series
	var bases []string
	for _, b := range benches {
		series := splits(b.points, "mops", factors)
		xs := values(series)
		if len(xs) < 2 {
			continue
		}
		series = f.atMost(series)
		drawn = append(drawn, series)
		rate, gain := NewPanel(cell.BenchName(b.name)), NewPanel("")
		for _, p := range []*Panel{rate, gain} {
			p.CountX("", xs)
			p.LogY()
			p.Add(Grid{})
		}
		rate.YLabel, gain.YLabel = "Mop/s", "speedup"
		rate.Bench, rate.Shows = b.name, Quantity{"mops", 1}
		gain.Bench, gain.Shows = b.name, Quantity{Speedup, 1}
		gain.Add(Ideal{Most: xs[len(xs)-1]})
		gain.Y.Min = 1
		where := func(c cell.Cell) string {
			return cell.BenchName(b.name) + " on " + cell.Plural(int(c.X), "core", "cores") + ", " + cell.RanksName(c.Points[0].Ranks)
		}
		var gains []cell.Series
		for _, s := range series {
			// one core has one thread
			one, _ := oneRank(s, series, factors, []cell.Factor{cell.Library, cell.Level, cell.Named, cell.File})
			if one == nil {
				continue
			}
			gains = append(gains, speedup(s, "mops", *one))
			if base := cell.BenchName(b.name) + " " + mops.write(one.Median); !slices.Contains(bases, base) {
				bases = append(bases, base)
			}
		}
		rate.join(f.curves(series, mops, where)...)
		gain.join(f.curves(gains, unit{1, "times"}, where)...)
		f.Rows = append(f.Rows, []*Panel{rate, gain})
	}
	if len(f.Rows) == 0 {
		return nil
	}
	for _, p := range f.Rows[len(f.Rows)-1] {
		p.XLabel = "cores: ranks x threads"
	}
	f.Keys = append(f.Keys, Key{Name: "ideal", Look: idealLook})
	f.Caption = join(sentence("", slices.DeleteFunc(cell.Common(points), func(s string) bool { return s == class })),
		"Speedup: against one rank with one thread"+baseCases(bases)+"; dotted: ideal.", runsOf(points), replication(drawn...), caveats(points))
	f.measured(points)
	return f
}
