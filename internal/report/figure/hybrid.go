package figure

import (
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
)

// cores returns the number of cores that a point of an application uses, one for each thread.
func cores(p cell.Point) float64 { return float64(p.Ranks * max(1, p.Threads)) }

// Hybrid draws rate and speedup of applications over the number of cores, ranks times threads, with
// a line for each number of threads of a rank, and one for threads alone (thesis, figure 7.11). It
// draws applications that were measured with several numbers of threads, and the one-zone versions
// of these.
func Hybrid(s *cell.Set) []*Figure {
	return eachProblem(s, func(class string, benches []part) *Figure {
		drawn := map[string]bool{} // applications with several numbers of threads, and their one-zone versions
		for _, b := range benches {
			if threaded(b.points) {
				drawn[b.name], drawn[strings.TrimSuffix(b.name, "-mz")] = true, true
			}
		}
		benches = slices.DeleteFunc(benches, func(b part) bool { return !drawn[b.name] })
		return scalingFigure(benches, overCores(class, "hybrid", "ranks and threads: "))
	})
}

// Cores draws rate and speedup of all applications over the number of cores, also of those with one
// thread per rank, as papers do that compare threads with message passing.
func Cores(s *cell.Set) []*Figure {
	return eachProblem(s, func(class string, benches []part) *Figure {
		return scalingFigure(benches, overCores(class, "cores", ""))
	})
}

func overCores(class, name, title string) scaling {
	return scaling{class: class, name: name, title: title, label: "cores: ranks x threads", base: "one rank with one thread", at: cores, cores: true}
}

// splits returns the series of a metric of an application over cores: one for each number of
// threads per rank, and one for the threads of a single rank. factors separate further series.
func splits(points []cell.Point, metric string, factors []cell.Factor) []cell.Series {
	threads := cell.Factor{Name: "split", Of: func(p cell.Point) string {
		return human.Count(max(1, p.Threads), "thread", "threads") + " per rank"
	}}
	series := cell.SplitBy(points, metric, cores, append(slices.Clone(factors), threads))
	alone := collect.If(points, func(p cell.Point) bool { return p.Ranks == 1 })
	for _, one := range cell.SplitBy(alone, metric, cores, factors) {
		if len(one.Cells) == 1 && one.Cells[0].X == 1 {
			continue // it is the first point of the line of one thread per rank
		}
		one.Name = strings.TrimPrefix(one.Name+", threads alone", ", ")
		series = append(series, one)
	}
	return slices.DeleteFunc(series, func(s cell.Series) bool { return len(s.Cells) == 0 })
}
