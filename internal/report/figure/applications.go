package figure

import (
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// application reports whether a point is of a kernel or an application.
func application(p cell.Point) bool {
	return p.IsApplication() && p.Copies == 0 && !weak(p) && !started(p)
}

// Kernels draws rate (or run time) and speedup of applications over the number of ranks, one row of
// panels for each application, as the thesis does. Applications with several numbers of threads are
// left to Hybrid, because threads are no ranks.
func Kernels(s *cell.Set) []*Figure {
	return eachProblem(s, func(class string, benches []part) *Figure {
		benches = slices.DeleteFunc(benches, func(b part) bool { return threaded(b.points) })
		return scalingFigure(benches, overRanks(class))
	})
}

// eachProblem draws the applications of each class: those with a rate, and those without one.
func eachProblem(s *cell.Set, draw func(class string, benches []part) *Figure) []*Figure {
	var all []*Figure
	for _, class := range by(s.Where(application), cell.Class) {
		benches := by(class.points, cell.Bench)
		slices.SortFunc(benches, func(a, b part) int { return strings.Compare(a.name, b.name) })
		for _, rate := range []bool{true, false} { // kernels, and applications without a rate
			group := collect.If(benches, func(b part) bool { return b.points[0].Metrics.Has("mops") == rate })
			if f := draw(class.name, group); f != nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// threaded reports whether points have several numbers of threads.
func threaded(points []cell.Point) bool { return len(by(points, cell.Threads)) > 1 }

// A scaling is the x axis of a figure of applications, and the texts that depend on it.
type scaling struct {
	class       string
	name, title string // of the figure
	label       string // of the axis
	base        string // of speedups
	at          func(cell.Point) float64
	cores       bool // the axis counts ranks times threads
}

func overRanks(class string) scaling {
	return scaling{class: class, name: "kernels", label: "ranks", base: "one rank", at: ranks}
}

// program lists the factors in which one rank and the series that refers to it must be equal. They
// may differ in the transport and its options, because a single rank uses no transport.
func (k scaling) program() []cell.Factor {
	if k.cores { // one core has one thread
		return []cell.Factor{cell.Library, cell.Level, cell.Named, cell.File}
	}
	return []cell.Factor{cell.Library, cell.Level, cell.Threads, cell.Named, cell.File}
}

// series returns the series of a metric of an application.
func (k scaling) series(points []cell.Point, metric string, factors []cell.Factor, split bool) []cell.Series {
	if split {
		return splits(points, metric, factors)
	}
	return cell.SplitBy(points, metric, k.at, factors)
}

func scalingFigure(benches []part, k scaling) *Figure {
	if len(benches) == 0 {
		return nil
	}
	f := &Figure{Height: 0.85 * style.Row}
	if len(benches) > 3 {
		f.Height = 0.68 * style.Row // five of them on a page
	}
	points := slices.Concat(collect.Each(benches, func(b part) []cell.Point { return b.points })...)
	factors := cell.DistinguishingFactors(points, k.at, cell.Ranks, cell.Bench)
	split := k.cores && threaded(points)
	if split {
		factors = slices.DeleteFunc(factors, func(f cell.Factor) bool { return f.Name == cell.Threads.Name })
	}
	var rows []part
	var series [][]cell.Series // of each row
	for _, b := range benches {
		b.time = mainOf(b.points)
		if all := k.series(b.points, b.time, factors, split); len(values(all)) > 1 {
			rows, series = append(rows, b), append(series, all)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	var contests []cell.Contest
	for i, b := range rows {
		contests = append(contests, cell.Contest{Metric: b.time, Series: series[i]})
	}
	f.choose(contests...)
	var bases []string
	for i, b := range rows {
		u, label := mops, "Mop/s"
		if b.time == "run_s" {
			u, label = second, "run time, s"
		}
		all := series[i]
		series[i] = f.limited(b.time, all)
		heading := ""
		if len(rows) > 1 || k.cores {
			heading = cell.BenchName(b.name)
		}
		rate, gain := NewPanel(heading), NewPanel("")
		for _, p := range []*Panel{rate, gain} {
			p.CountX("", values(all))
			f.markOversubscribed(p, b.points)
			p.Add(Grid{})
		}
		rate.YLabel, gain.YLabel = label, "speedup"
		rate.Bench, rate.Shows = b.name, Quantity{b.time, u.scale}
		gain.Bench, gain.Shows = b.name, Quantity{Speedup, 1}
		gain.Add(Ideal{Max: slices.Max(values(all))})
		rate.LogY()
		gain.X.Scale = plot.LinearScale{} // so that the ideal is a straight line, and the distance to it can be read
		gain.X.Min, gain.Y.Min = 0, 0
		where := func(c cell.Cell) string {
			at := cell.BenchName(b.name) + " on " + cell.RanksName(c.Points[0].Ranks)
			if k.cores {
				at += ", " + human.Count(int(c.X), "core", "cores")
			}
			return at
		}
		gain.gains = &gains{b.time, all, series[i], k.program(), where}
		speedups, of := gain.gains.speedups(b.name, u, "")
		bases = collect.Union(bases, of...)
		rate.join(f.curves(series[i], u, where)...)
		gain.join(f.curves(speedups, unit{1, "times"}, where)...)
		f.Rows = append(f.Rows, []*Panel{rate, gain})
	}
	for _, p := range f.Rows[len(f.Rows)-1] {
		p.XLabel = k.label
	}
	what := "rate and speedup"
	if rows[0].time == "run_s" {
		what = "run time and speedup"
	}
	f.Name, f.Title = file(k.name, k.class), cell.Capital(k.title+what)
	if len(rows) == 1 {
		if f.Bench = rows[0].name; !k.cores {
			f.Name = file(f.Bench, k.class)
		}
		f.Title = headline(f.Bench) + ": " + what
	}
	for _, more := range []string{k.class, surroundings(points)} {
		if more != "" {
			f.Title += ", " + more
		}
	}
	f.Keys = append(f.Keys, Key{Name: "ideal", Look: idealLook})
	f.oversubscribedLast()
	f.base = "Speedup: against the fastest run of the same program on " + k.base + baseCases(bases) + "; dotted: ideal."
	f.Caption = join(sentence("", slices.DeleteFunc(cell.Common(points), func(s string) bool { return s == k.class })), f.base, placements(points), runsOf(points), replication(series...), markedCaveats(points))
	f.measured(points)
	return f
}

// mainOf returns the metric of applications that is drawn: the rate, or the run time.
func mainOf(points []cell.Point) string {
	if points[0].Metrics.Has("mops") {
		return "mops"
	}
	return "run_s"
}

// placements returns a sentence with the number of ranks on each host, for each number of ranks on
// several hosts.
func placements(points []cell.Point) string {
	found := map[int][]string{}
	for _, p := range points {
		if p.Run == nil {
			continue
		}
		if m := p.Run.Job.Map(); m != "" && !slices.Contains(found[p.Ranks], m) {
			found[p.Ranks] = append(found[p.Ranks], m)
		}
	}
	var list []string
	for _, ranks := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[ranks]...)
	}
	if len(list) == 0 {
		return ""
	}
	return "Hosts x ranks: " + strings.Join(list, ", ") + "."
}

// baseCases returns the base cases of speedups, or a reference to the left panels if there are
// many.
func baseCases(bases []string) string {
	if len(bases) == 0 || len(bases) > 6 {
		return ", whose rate the left panel shows"
	}
	return " (" + strings.Join(bases, "; ") + ")"
}

// oneRank returns the cell of one rank (or core) to which speedups of a series refer, and the name
// of its series: the fastest one of the same program on a host of the series. All series of a
// program have the same base, because a single rank uses no transport; a slow base would make a
// slow series look better than a fast one. The cell is nil if there is none; the series then has no
// speedup, because a speedup states its base case (rule 1 of Hoefler and Belli 2015).
func oneRank(s cell.Series, all []cell.Series, metric string, program []cell.Factor) (one *cell.Cell, of string) {
	for _, other := range all {
		if len(other.Cells) == 0 || other.Cells[0].X != 1 || other.Cells[0].Median == 0 || !equal(s.Cells[0].Points[0], other.Cells[0].Points[0], program) || !sharesHost(s, other.Cells[0]) {
			continue
		}
		if c := &other.Cells[0]; one == nil || (metric == "run_s") == (c.Median < one.Median) && c.Median != one.Median {
			one, of = c, other.Name
		}
	}
	return one, of
}

// sharesHost reports whether a cell was measured on a host of a series, as far as hosts are known.
func sharesHost(s cell.Series, c cell.Cell) bool {
	used := strings.Split(cell.Host.Of(c.Points[0]), ",")
	for _, p := range pointsOf(s) {
		for host := range strings.SplitSeq(cell.Host.Of(p), ",") {
			if slices.Contains(used, host) {
				return true
			}
		}
	}
	return false
}

// equal reports whether two points are equal in all factors.
func equal(a, b cell.Point, factors []cell.Factor) bool {
	return !slices.ContainsFunc(factors, func(f cell.Factor) bool { return f.Of(a) != f.Of(b) })
}

// speedup relates a series to a cell of one rank: rates are divided by it, and times divide it.
func speedup(s cell.Series, key string, base cell.Cell) cell.Series {
	up := cell.Series{Name: s.Name}
	for _, c := range s.Cells {
		r := c.Over(base)
		switch {
		case c.X == 1 && c.Median == base.Median:
			r.Median, r.Lo, r.Hi = 1, 0, 0 // the base itself
		case key == "run_s":
			r = base.Over(c)
			r.X, r.Points = c.X, c.Points
		}
		up.Cells = append(up.Cells, r)
	}
	return up
}
