package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/style"
)

// A headlineNumber is one row of the table on the first page: a metric of a benchmark at one place.
type headlineNumber struct {
	name string // "Ping-pong latency"
	key  string // metric
	pick func([]cell.Cell) (cell.Cell, bool)
}

// maxHeadlines and maxSeries bound the rows of the table and the series of one number, to leave
// room on the first page. Which series are shown is decided by cell.Rank.
const (
	maxHeadlines = 32
	maxSeries    = 6
)

// headline returns the table of headline numbers: latency and peak bandwidth of ping-pong, times of
// collectives, rates of kernels.
func headline(s *cell.Set) Table {
	t := Table{Title: "Headline numbers", Columns: []string{"number", "series", "value", "±", "at", "launches"}}
	benches := collect.By(s.Where(isHeadline), func(p cell.Point) string { return p.Bench })
	slices.SortFunc(benches, func(a, b []cell.Point) int {
		return cmp.Or(cmp.Compare(figure.Interest(a[0].Bench), figure.Interest(b[0].Bench)), cmp.Compare(a[0].Bench, b[0].Bench))
	})
	sure := false
	left, numbers := 0, 0 // rows that do not fit, and numbers without any row
	for _, bench := range benches {
		points := withOwnCores(bench)
		at, along := axis(points)
		by := cell.DistinguishingFactors(points, at, along...)
		for _, w := range headlineNumbers(points[0].Bench, points) {
			picked := w.of(cell.SplitBy(points, w.key, at, by))
			if len(picked) > 0 && len(t.Rows) == maxHeadlines {
				numbers++
			}
			for i, series := range picked {
				if i == maxSeries || len(t.Rows) == maxHeadlines {
					left += len(picked) - i
					break
				}
				c := series.Cells[0]
				sure = sure || c.Spread() == cell.Between
				t.Rows = append(t.Rows, []Field{words(w.name), words(inState(series.Name, c)), number(c.Median, quantity(w.key, c.Median)), between(w.key, c), words(caseOf(c)),
					number(float64(c.Launches()), fmt.Sprint(c.Launches()))})
			}
		}
	}
	t.Remark = "Medians over launches. ±: the range of launches, because an interval takes 6 that do not drift; one launch does not predict the next."
	if sure {
		t.Remark = "Medians over launches. ±: 95 % CI of the median from 6 launches on, the range of 2 to 5, and of launches that drift; one launch does not predict the next."
	}
	if left > 0 {
		t.Remark += fmt.Sprintf(" %s left out", human.Count(left, "row is", "rows are"))
		if numbers > 0 {
			t.Remark += fmt.Sprintf(", among them all of %s", human.Count(numbers, "number", "numbers"))
		}
		t.Remark += fmt.Sprintf(", because the page has room for %d of a number and %d of all: shown are the best, the choice of the defaults, the best of each library and transport, and the next best (of places: the best and the worst). The tables below have them.", maxSeries, maxHeadlines)
	}
	return t
}

// of returns the cells of the number, each as a series, in the order of cell.Rank.
func (w headlineNumber) of(all []cell.Series) []cell.Series {
	var picked []cell.Series
	for _, series := range all {
		if c, ok := w.pick(series.Cells); ok {
			c.X = 0 // peaks compete wherever they are
			picked = append(picked, cell.Series{Name: series.Name, Cells: []cell.Cell{c}})
		}
	}
	ranked := cell.Rank(cell.Contest{Metric: w.key, Series: picked})
	slices.SortStableFunc(picked, func(a, b cell.Series) int {
		return cmp.Compare(slices.Index(ranked, a.Name), slices.Index(ranked, b.Name))
	})
	return picked
}

// inState appends the state of the cores to the name of a series unless it is near or unknown, so
// that a difference between near and far cores does not look like one between programs.
func inState(name string, c cell.Cell) string {
	in := c.Points[0].State()
	if in == state.Near || in == state.Unknown {
		return name
	}
	return strings.TrimPrefix(name+", cores "+in.String(), ", ")
}

// isHeadline reports whether a point may be a headline. Barriers may, although they have no size.
func isHeadline(p cell.Point) bool {
	if p.Copies > 0 || p.Groups > 1 {
		return false
	}
	return application(p) || p.Metrics.Median("mops") > 0 || p.Size > 0 || p.Bench == "barrier"
}

// withOwnCores returns, for collectives and kernels, the points with the largest number of ranks
// that is not oversubscribed, or else with the smallest number; for other benchmarks all points.
func withOwnCores(points []cell.Point) []cell.Point {
	if p2p := points[0].Metrics.Has("half_rtt_s"); p2p || points[0].Window > 0 {
		return points
	}
	maxRanks, minRanks := 0, math.MaxInt
	for _, p := range points {
		minRanks = min(minRanks, p.Ranks)
		if !p.Oversubscribed() {
			maxRanks = max(maxRanks, p.Ranks)
		}
	}
	maxRanks = cmp.Or(maxRanks, minRanks)
	return slices.DeleteFunc(slices.Clone(points), func(p cell.Point) bool { return p.Ranks != maxRanks })
}

// headlineNumbers returns the headline numbers of one benchmark.
func headlineNumbers(bench string, points []cell.Point) []headlineNumber {
	name := cell.Capital(cell.BenchName(bench))
	first := func(cells []cell.Cell) (cell.Cell, bool) { return cells[0], true }
	peak := func(cells []cell.Cell) (cell.Cell, bool) {
		return slices.MaxFunc(cells, func(a, b cell.Cell) int { return cmp.Compare(a.Median, b.Median) }), true
	}
	at := func(size float64) func([]cell.Cell) (cell.Cell, bool) {
		return func(cells []cell.Cell) (cell.Cell, bool) {
			i := slices.IndexFunc(cells, func(c cell.Cell) bool { return c.X == size })
			if i < 0 {
				return cell.Cell{}, false
			}
			return cells[i], true
		}
	}
	has := func(key string) bool {
		return slices.ContainsFunc(points, func(p cell.Point) bool { return p.Metrics.Median(key) > 0 })
	}
	switch {
	case has("mops"):
		return []headlineNumber{{name + " rate", "mops", peak}}
	case has("run_s"):
		return []headlineNumber{{name + " run time", "run_s", first}}
	case has("half_rtt_s"):
		return []headlineNumber{{name + " latency", "half_rtt_s", first}, {name + " peak bandwidth", "bandwidth_Bps", peak}}
	case has("global_s") || has("local_s"):
		var list []headlineNumber
		for _, t := range cell.ByTime(points) {
			if bench == "barrier" {
				list = append(list, headlineNumber{name, t.Key, first})
				continue
			}
			small, large := ends(t.Points)
			list = append(list, headlineNumber{name + ", " + style.Size(small), t.Key, at(float64(small))})
			if large != small {
				list = append(list, headlineNumber{name + ", " + style.Size(large), t.Key, at(float64(large))})
			}
		}
		return list
	case bench == "msgrate" && has("message_rate_per_s"):
		return []headlineNumber{{name + " peak", "message_rate_per_s", peak}}
	case has("bandwidth_Bps"):
		return []headlineNumber{{name + " peak bandwidth", "bandwidth_Bps", peak}}
	}
	return nil
}

// ends returns the sizes at which collectives are reported: the measured ones nearest to 8 B and
// 1 MiB.
func ends(points []cell.Point) (small, large int64) {
	near := func(want int64) int64 {
		best := points[0].Size
		for _, p := range points {
			if math.Abs(math.Log(float64(p.Size)/float64(want))) < math.Abs(math.Log(float64(best)/float64(want))) {
				best = p.Size
			}
		}
		return best
	}
	return near(8), near(1 << 20)
}

// between formats the interval or the range of launches: in percent, or as values if it is wide.
func between(key string, c cell.Cell) Field {
	switch {
	case c.Launches() == 1 && c.Points[0].Imported() != "":
		return words("imported")
	case c.Launches() == 1:
		return words("one launch")
	case c.Lo == 0 || c.Median == 0:
		return Field{}
	}
	far := max(c.Hi-c.Median, c.Median-c.Lo) / c.Median
	if far > 0.5 {
		return number(far, quantity(key, c.Lo)+" to "+quantity(key, c.Hi))
	}
	digits := 0
	if far < 0.0995 {
		digits = 1
	}
	return number(far, fmt.Sprintf("± %.*f %%", digits, 100*far))
}

// caseOf returns class, size and ranks of a headline.
func caseOf(c cell.Cell) string {
	p := c.Points[0]
	s := cell.RanksName(p.Ranks)
	if p.Size > 0 {
		s = style.Size(p.Size) + ", " + s
	}
	if problem := cell.ProblemName(p); problem != "" {
		s = problem + ", " + s
	}
	if p.Oversubscribed() {
		s += " (oversubscribed)"
	}
	return s
}

// title returns the title of the report: what was run, over what, and where.
func title(s *cell.Set) string {
	var benches, transports []string
	for _, p := range s.Rows {
		benches = collect.Union(benches, p.Bench)
		if p.Transport != "" {
			transports = collect.Union(transports, p.Transport)
		}
	}
	slices.SortStableFunc(benches, func(a, b string) int { return cmp.Compare(figure.Interest(a), figure.Interest(b)) })
	slices.Sort(transports)
	var names []string
	for i, b := range benches {
		if i == 3 && len(benches) > 4 {
			names = append(names, fmt.Sprintf("%d more", len(benches)-i))
			break
		}
		names = append(names, cell.BenchName(b))
	}
	t := cell.Capital(human.Enumerate(names, "and"))
	if len(transports) > 0 {
		t += " over " + human.Enumerate(transports, "and")
	}
	if names := collect.If(hosts(s), func(name string) bool { return name != "" }); len(names) > 0 && len(names) <= 3 {
		t += " on " + human.Enumerate(names, "and")
	}
	if len(s.Points) > 0 {
		if when := figure.When(s.Rows); when != "" {
			t += ", " + strings.TrimPrefix(when, "on ")
		}
	}
	return t
}
