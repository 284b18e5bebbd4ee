package figure

import (
	"maps"
	"slices"
	"strings"

	"gobench/report/cell"
	"gobench/report/style"
)

// application reports whether a point is of a kernel or an application.
func application(p cell.Point) bool {
	return p.IsApplication() && p.Copies == 0 && !weak(p) && !started(p)
}

// Kernels draws rate (or run time) and speedup of applications over the number of ranks, one row of
// panels for each application, as the thesis does.
func Kernels(s *cell.Set) []*Figure {
	var all []*Figure
	for _, class := range by(s.Where(application), cell.Class) {
		benches := by(class.points, cell.Bench)
		slices.SortFunc(benches, func(a, b part) int { return strings.Compare(a.name, b.name) })
		for _, group := range [][]part{pick(benches, true), pick(benches, false)} {
			if f := scalingFigure(class.name, group); f != nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// pick returns the benchmarks with a rate (kernels) or those without one (applications).
func pick(benches []part, rate bool) []part {
	var some []part
	for _, b := range benches {
		_, has := b.points[0].Metrics["mops"]
		if has == rate {
			some = append(some, b)
		}
	}
	return some
}

func scalingFigure(class string, benches []part) *Figure {
	if len(benches) == 0 {
		return nil
	}
	f := &Figure{Height: 0.85 * style.Row}
	if len(benches) > 3 {
		f.Height = 0.68 * style.Row // five of them on a page
	}
	var points []cell.Point
	for _, b := range benches {
		points = append(points, b.points...)
	}
	factors := cell.DistinguishingFactors(points, ranks, cell.Ranks, cell.Bench)
	var bases []string
	other := "" // words for the caption if a speedup refers to another series
	var drawn [][]cell.Series
	timed := false
	for i, b := range benches {
		key, u, label := "mops", mops, "Mop/s"
		if _, ok := b.points[0].Metrics["mops"]; !ok {
			key, u, label, timed = "run_s", second, "run time, s", true
		}
		series := cell.SplitBy(b.points, key, ranks, factors)
		xs := values(series)
		if len(xs) < 2 {
			continue
		}
		series = f.atMost(series)
		drawn = append(drawn, series)
		heading := ""
		if len(benches) > 1 {
			heading = cell.BenchName(b.name)
		}
		rate, gain := NewPanel(heading), NewPanel("")
		for _, p := range []*Panel{rate, gain} {
			p.CountX("", xs)
			p.LogY()
			f.markOversubscribed(p, b.points)
			p.Add(Grid{})
		}
		rate.YLabel, gain.YLabel = label, "speedup"
		rate.Bench, rate.Shows = b.name, Quantity{key, u.scale}
		gain.Bench, gain.Shows = b.name, Quantity{Speedup, 1}
		gain.Add(Ideal{Most: xs[len(xs)-1]})
		gain.Y.Min = 1
		where := func(c cell.Cell) string { return cell.BenchName(b.name) + " on " + cell.RanksName(int(c.X)) }
		var gains []cell.Series
		for _, s := range series {
			one, of := oneRank(s, series, factors, program)
			if one == nil {
				continue
			}
			gains = append(gains, speedup(s, key, *one))
			base := strings.TrimSpace(cell.BenchName(b.name) + " " + s.Name)
			if of != s.Name {
				base, other = base+" against "+of, " or of the one named"
			}
			bases = append(bases, base+" "+u.write(one.Median))
		}
		rate.join(f.curves(series, u, where)...)
		gain.join(f.curves(gains, unit{1, "times"}, where)...)
		if i == len(benches)-1 {
			rate.XLabel, gain.XLabel = "ranks", "ranks"
		}
		f.Rows = append(f.Rows, []*Panel{rate, gain})
	}
	if len(f.Rows) == 0 {
		return nil
	}
	last := f.Rows[len(f.Rows)-1]
	last[0].XLabel, last[1].XLabel = "ranks", "ranks"
	f.Name = file("kernels", class)
	what := "rate and speedup"
	if timed {
		what = "run time and speedup"
	}
	f.Title = cell.Capital(what)
	if len(benches) == 1 {
		f.Name, f.Bench = file(benches[0].name, class), benches[0].name
		f.Title = headline(benches[0].name) + ": " + what
	}
	for _, more := range []string{class, surroundings(points)} {
		if more != "" {
			f.Title += ", " + more
		}
	}
	f.Keys = append(f.Keys, Key{Name: "ideal", Look: idealLook})
	f.oversubscribedLast()
	f.Caption = join(sentence("", slices.DeleteFunc(cell.Common(points), func(s string) bool { return s == class })),
		"Speedup: against one rank of the same series"+other+baseCases(bases)+"; dotted: ideal.", placements(points), runsOf(points), replication(drawn...), markedCaveats(points))
	f.measured(points)
	return f
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

// program lists the factors in which one rank and the series that refers to it must be equal. They
// may differ in the transport and its options, because a single rank uses no transport.
var program = []cell.Factor{cell.Library, cell.Level, cell.Threads, cell.Named, cell.File}

// oneRank returns the cell of one rank (or core) to which speedups of a series refer, and the name
// of the series of this cell: the first one that is equal in all factors of the figure, such as the
// series itself, or else in those of program. The cell is nil if there is none; the series then has
// no speedup, because a speedup states its base case (rule 1 of Hoefler and Belli 2015).
func oneRank(s cell.Series, all []cell.Series, factors, program []cell.Factor) (one *cell.Cell, of string) {
	for _, same := range [][]cell.Factor{factors, program} {
		for _, other := range append([]cell.Series{s}, all...) {
			if len(other.Cells) > 0 && other.Cells[0].X == 1 && other.Cells[0].Median != 0 && equal(s.Cells[0].Points[0], other.Cells[0].Points[0], same) {
				return &other.Cells[0], other.Name
			}
		}
	}
	return nil, ""
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
