package figure

import (
	"slices"
	"strings"

	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// weak reports whether a point is of weak scaling: its efficiency is relative to as many
// independent serial copies, and it has no speedup.
func weak(p cell.Point) bool {
	return p.Has("efficiency") && !p.Has("speedup") && p.Copies == 0
}

// serial identifies the copies that a point of weak scaling is compared with.
type serial struct {
	run, bench string
	copies     int
}

// Efficiency draws weak scaling: the rate, that of independent serial copies on the same cores, and
// the ratio of both, over cores = ranks x threads and the problem, which grows with them. There is
// a line for each number of threads of a rank.
func Efficiency(s *cell.Set) []*Figure {
	copies := s.Where(func(p cell.Point) bool { return p.Copies > 0 })
	of := map[serial]string{}
	for _, c := range copies {
		of[serial{c.Point.Run, c.Bench, c.Copies}] = cell.ProblemName(c)
	}
	one := cell.Factor{Name: "serial", Of: func(p cell.Point) string {
		return of[serial{p.Baseline, p.Bench, int(cores(p))}]
	}}
	var all []*Figure
	for _, b := range by(s.Where(weak), cell.Bench) {
		for _, part := range by(b.points, one) {
			bound := slices.DeleteFunc(slices.Clone(copies), func(c cell.Point) bool {
				return c.Bench != b.name || cell.ProblemName(c) != part.name
			})
			f := efficiencyFigure(b.name, part.points, bound)
			if len(all) > 0 && all[len(all)-1].Name == f.Name {
				f.Name = file(b.name, "weak", part.name)
			}
			all = append(all, f)
		}
	}
	return all
}

// efficiencyFigure draws points of one benchmark. bound holds the points of the serial copies.
func efficiencyFigure(bench string, points, bound []cell.Point) *Figure {
	key, u, label := "mops", mops, "Mop/s"
	if ok := points[0].Metrics.Has("mops"); !ok {
		key, u, label = "run_s", second, "run time, s"
	}
	factors := slices.DeleteFunc(cell.DistinguishingFactors(points, cores, cell.Ranks, cell.Class), func(f cell.Factor) bool { return f.Name == cell.Threads.Name })
	series := func(metric string) []cell.Series {
		if len(by(points, cell.Threads)) == 1 {
			return cell.SplitBy(points, metric, cores, factors)
		}
		return splits(points, metric, factors)
	}
	problems := map[float64]string{}
	for _, p := range points {
		if problems[cores(p)] = p.Class; p.Class == "" {
			problems[cores(p)] = p.Grid
		}
	}
	where := func(c cell.Cell) string {
		return strings.TrimSuffix(human.Count(int(c.X), "core", "cores")+", "+cell.ProblemName(c.Points[0]), ", ")
	}
	f := &Figure{Name: file(bench, "weak"), Title: headline(bench) + ": weak scaling, " + surroundings(points)}
	rates := series(key)
	bounds := cell.SplitBy(bound, key, func(p cell.Point) float64 { return float64(p.Copies) }, factors)
	if len(rates) == 1 && rates[0].Name == "" && len(bounds) > 0 {
		rates[0].Name = "one problem"
	}
	for i := range bounds {
		bounds[i].Name = strings.TrimPrefix(bounds[i].Name+", serial copies", ", ")
	}
	drawn := f.limited(key, append(rates, bounds...))
	panel := func(metric, label string, u unit) *Panel {
		p := NewPanel("")
		p.CountX("cores (problem)", values(drawn))
		p.X.Tick.Marker = style.Counts{Values: values(drawn), Names: problems}
		p.YLabel, p.Bench, p.Shows = label, bench, Quantity{metric, u.scale}
		f.markOversubscribed(p, points)
		p.Add(Grid{})
		return p
	}
	rate := panel(key, label, u)
	rate.LogY()
	rate.join(f.curves(drawn, u, where)...)
	percent := unit{100, "%"}
	efficiencies := series("efficiency")
	if len(efficiencies) == 1 {
		efficiencies[0].Name = rates[0].Name
	}
	efficiency := panel("efficiency", "efficiency, %", percent)
	efficiency.Y.Min, efficiency.Y.Max = 0, 100
	efficiency.Add(Rule{At: 100, Color: style.Grey, Dashes: dotted})
	efficiency.join(f.curves(f.limited("efficiency", efficiencies), percent, where)...)
	f.Rows = [][]*Panel{{rate, efficiency}}
	f.Caption = join(sentence("", slices.DeleteFunc(cell.Common(points), func(s string) bool { return s == cell.Class.Of(points[0]) })), "The problem grows with the cores, ranks times threads. Efficiency: rate over that of as many independent serial copies on the same cores at once, which share caches and memory as the ranks do.", runsOf(points), replication(drawn), markedCaveats(points))
	f.Keys = append(f.Keys, Key{Name: "as serial copies", Look: idealLook})
	f.measured(points)
	return f
}
