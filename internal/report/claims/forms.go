package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
	"gobench/stats"
)

// A test decides a claim from records.
type test interface {
	judge(*cell.Set) Result
	want() string
}

// bounds limit the number that a claim states; max 0 = there is no upper one.
type bounds struct{ min, max float64 }

func (b bounds) upper() float64 { return cmp.Or(b.max, math.Inf(1)) }

// judge returns the verdict about a number with its interval.
func (b bounds) judge(v stats.Interval) Verdict {
	switch {
	case v.Lo >= b.min && v.Hi <= b.upper():
		return Holds
	case v.Hi < b.min || v.Lo > b.upper():
		return Fails
	}
	return Unclear
}

// margin returns how far a number is within the bounds, as the logarithm of a ratio; negative =
// outside of them.
func (b bounds) margin(v float64) float64 {
	return math.Log(min(v/b.min, b.upper()/v)) // a lower bound of 0 is infinitely far
}

func (b bounds) text(unit quantity) string {
	switch {
	case b.max == 0:
		return "at least " + unit.text(b.min)
	case b.min == 0:
		return "at most " + unit.text(b.max)
	}
	return unit.text(b.min) + " to " + unit.text(b.max)
}

// A quantity formats numbers in a unit.
type quantity struct {
	unit string
	base float64
}

var times = quantity{" times", 1}

func quantityOf(metric string) quantity {
	m, _ := record.Lookup(metric)
	switch {
	case metric == "run_s":
		return quantity{" s", 1}
	case m.Time():
		return quantity{" us", 1e-6}
	case m.Unit == "B/s":
		return quantity{" Gbit/s", 1e9 / 8}
	case m.Unit == "times":
		return times
	}
	return quantity{" " + m.Unit, 1}
}

func (q quantity) text(v float64) string { return style.Number(v/q.base) + q.unit }

// with formats a number with its interval.
func (q quantity) with(v stats.Interval) string {
	return fmt.Sprintf("%s (%s to %s)", q.text(v.Median), style.Number(v.Lo/q.base), style.Number(v.Hi/q.base))
}

// An axis is what a metric is measured over: the message size, or the cores of an application.
func axis(metric string) (of func(cell.Point) float64, name func(float64) string) {
	switch metric {
	case "mops", "mcells", "run_s":
		return func(p cell.Point) float64 { return float64(p.Ranks * max(1, p.Threads)) },
			func(x float64) string { return "on " + human.Count(int(x), "core", "cores") }
	}
	return func(p cell.Point) float64 { return float64(p.Size) }, func(x float64) string { return "at " + style.Size(int64(x)) }
}

// fixed lists the factors whose values two sides have in common, unless they differ by them.
func fixed(metric string) []cell.Factor {
	list := []cell.Factor{cell.Class, cell.Level, {Name: "hosts", Of: facts["hosts"]}}
	if of, _ := axis(metric); of(cell.Point{Point: &record.Point{Ranks: 1}}) == 0 { // sizes
		list = append(list, cell.Ranks)
	}
	return list
}

// better reports whether the first value of a metric is better than the second one.
func better(metric string, a, b float64) bool {
	if m, _ := record.Lookup(metric); m.Direction == record.Higher {
		return a > b
	}
	return a < b
}

// best returns the best cell of points at each position of the axis of a metric.
func best(points []cell.Point, metric string) map[float64]cell.Cell {
	x, _ := axis(metric)
	all := map[float64]cell.Cell{}
	for _, series := range cell.Split(points, metric, x) {
		for _, c := range series.Cells {
			if old, ok := all[c.X]; !ok || better(metric, c.Median, old.Median) {
				all[c.X] = c
			}
		}
	}
	return all
}

// within returns the positions of cells from one to another, sorted; 0 as the last one = there is
// no end.
func within(cells map[float64]cell.Cell, from, to float64) []float64 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(cells)), func(x float64) bool { return x < from || to > 0 && x > to })
}

// common is within for the positions that both sides have.
func common(cells, base map[float64]cell.Cell, from, to float64) []float64 {
	return slices.DeleteFunc(within(cells, from, to), func(x float64) bool { _, ok := base[x]; return !ok })
}

// pair returns the best cells of two sides that are alike in some factors, or the side that the
// records lack.
func pair(s *cell.Set, a, b side, metric string, factors ...cell.Factor) (cells, base map[float64]cell.Cell, lacking side) {
	as, bs := a.of(s, metric), b.of(s, metric)
	switch {
	case len(as) == 0:
		return nil, nil, a
	case len(bs) == 0:
		return nil, nil, b
	}
	as, bs = alike(a, b, as, bs, append(factors, machine)...)
	return best(as, metric), best(bs, metric), ""
}

// missing is the result for a side without records.
func missing(s side, metric string) Result {
	return Result{Verdict: Missing, Why: "needs " + metric + " of " + s.words()}
}

// decided judges a cell, which is a value or a ratio. A launch alone decides nothing.
func (b bounds) decided(c cell.Cell, unit quantity, where string) Result {
	v := stats.Interval{Median: c.Median, Lo: c.Lo, Hi: c.Hi}
	if c.Spread() < cell.Few {
		return Result{Verdict: Unclear, Number: unit.text(v.Median) + " " + where, Why: "one launch"}
	}
	return b.interval(v, unit, where)
}

func (b bounds) interval(v stats.Interval, unit quantity, where string) Result {
	r := Result{Verdict: b.judge(v), Number: strings.TrimRight(unit.with(v)+" "+where, " ")}
	if r.Verdict == Unclear {
		r.Why = "the interval contains the bound"
	}
	return r
}

// How a ratio takes the positions that both sides have.
type how int

const (
	everywhere how = iota // the claim must hold at each
	somewhere             // it must hold at one: "up to"
	ofBest                // the best of a side at any of them is compared with that of the other one
)

// A ratio tests a metric of one side over that of another, or the metric itself, in its unit, if
// there is no other side.
type ratio struct {
	bounds
	metric   string
	a, b     side    // b "" = there is none
	from, to float64 // positions; to 0 = all beyond from
	how      how
}

func (t ratio) unit() quantity {
	if t.b == "" {
		return quantityOf(t.metric)
	}
	return times
}

func (t ratio) want() string {
	words := map[how]string{everywhere: "", somewhere: ", at one position", ofBest: ", of the best"}[t.how]
	return t.text(t.unit()) + words
}

func (t ratio) judge(s *cell.Set) Result {
	_, at := axis(t.metric)
	if t.b == "" {
		cells := best(t.a.of(s, t.metric), t.metric)
		if len(cells) == 0 {
			return missing(t.a, t.metric)
		}
		return t.over(within(cells, t.from, t.to), func(x float64) (cell.Cell, string) { return cells[x], at(x) }, cells)
	}
	cells, base, lacking := pair(s, t.a, t.b, t.metric, fixed(t.metric)...)
	if lacking != "" {
		return missing(lacking, t.metric)
	}
	if t.how == ofBest {
		some, others := within(cells, t.from, t.to), within(base, 0, 0)
		if t.a == t.b { // the rest of the same side
			others = slices.DeleteFunc(others, func(x float64) bool { return slices.Contains(some, x) })
		}
		x, y := top(cells, some, t.metric), top(base, others, t.metric)
		if x < 0 || y < 0 {
			return Result{Verdict: Missing, Why: "the sides have nothing in common"}
		}
		return t.decided(cells[x].Over(base[y]), t.unit(), fmt.Sprintf("(best %s, over best %s)", at(x), at(y)))
	}
	return t.over(common(cells, base, t.from, t.to), func(x float64) (cell.Cell, string) { return cells[x].Over(base[x]), at(x) }, cells)
}

// top returns the position of the best cell of some, -1 if there are none.
func top(cells map[float64]cell.Cell, some []float64, metric string) float64 {
	best := -1.0
	for _, x := range some {
		if best < 0 || better(metric, cells[x].Median, cells[best].Median) {
			best = x
		}
	}
	return best
}

// over judges the positions. It returns the result of the position that decides: the worst one if
// the claim must hold everywhere, else the best one.
func (t ratio) over(positions []float64, at func(float64) (cell.Cell, string), cells map[float64]cell.Cell) Result {
	if len(positions) == 0 {
		return Result{Verdict: Missing, Why: "the records have no position in the range of the claim"}
	}
	if t.how == ofBest {
		positions = []float64{top(cells, positions, t.metric)}
	}
	rank := map[Verdict]int{Fails: 0, Unclear: 1, Holds: 2}
	var decisive Result
	margin := 0.0
	for i, x := range positions {
		c, where := at(x)
		r, m := t.decided(c, t.unit(), where), t.margin(c.Median)
		order := cmp.Or(cmp.Compare(rank[r.Verdict], rank[decisive.Verdict]), cmp.Compare(m, margin))
		if i == 0 || t.how == somewhere && order > 0 || t.how == everywhere && order < 0 {
			decisive, margin = r, m
		}
	}
	return decisive
}

// A crossing tests the size from which on one side is better than the other one, up to the longest
// messages.
type crossing struct {
	bounds // of the size in bytes
	metric string
	a, b   side
}

func (t crossing) want() string {
	return fmt.Sprintf("from a size between %s and %s on", style.Size(int64(t.min)), style.Size(int64(t.max)))
}

func (t crossing) judge(s *cell.Set) Result {
	cells, base, lacking := pair(s, t.a, t.b, t.metric, fixed(t.metric)...)
	if lacking != "" {
		return missing(lacking, t.metric)
	}
	positions := common(cells, base, 0, 0)
	if len(positions) < 2 {
		return Result{Verdict: Missing, Why: "the sides have fewer than two sizes in common"}
	}
	// From the largest size down: where it is surely better, and where it may be.
	var sure, maybe float64 = math.Inf(1), math.Inf(1)
	certain := true
	for _, x := range slices.Backward(positions) {
		r := cells[x].Over(base[x])
		if r.Spread() < cell.Few {
			return Result{Verdict: Unclear, Why: "one launch at " + style.Size(int64(x))}
		}
		low, high := r.Lo, r.Hi
		if better(t.metric, 1, 2) { // of times
			low, high = 1/r.Hi, 1/r.Lo
		}
		if high <= 1 {
			break
		}
		maybe = x
		if certain = certain && low > 1; certain {
			sure = x
		}
	}
	switch {
	case math.IsInf(maybe, 1):
		return Result{Verdict: Fails, Number: "never, up to " + style.Size(int64(positions[len(positions)-1]))}
	case math.IsInf(sure, 1):
		return Result{Verdict: Unclear, Number: "perhaps from " + style.Size(int64(maybe)) + " on", Why: "the sides are as fast within their intervals"}
	}
	r := Result{Verdict: t.bounds.judge(stats.Interval{Median: sure, Lo: maybe, Hi: sure}), Number: "from " + style.Size(int64(sure)) + " on"}
	if r.Verdict == Unclear {
		r.Why = "perhaps from " + style.Size(int64(maybe)) + " on"
	}
	return r
}

// A scaling tests the parallel efficiency of a side, its rate on the most cores over that on one
// core and the number of cores, or that efficiency over that of another side.
type scaling struct {
	bounds
	metric string
	a, b   side    // b "" = there is none
	cores  float64 // at least; 0 = two
}

func (t scaling) want() string {
	if t.b == "" {
		return "an efficiency of " + t.text(quantity{" %", 0.01})
	}
	return t.text(times) + " of efficiencies"
}

func (t scaling) judge(s *cell.Set) Result {
	// The number of hosts may differ: more cores take more of them.
	cells, base, lacking := pair(s, t.a, cmp.Or(t.b, t.a), t.metric, cell.Class, cell.Level)
	if lacking != "" {
		return missing(lacking, t.metric)
	}
	low := max(2, t.cores)
	both := common(cells, base, low, 0)
	if len(both) == 0 || len(common(cells, base, 1, 1)) == 0 {
		r := missing(t.a, t.metric)
		if t.b != "" {
			r.Why += ", and of " + t.b.words()
		}
		r.Why += fmt.Sprintf(", on one core and on %v or more", low)
		return r
	}
	n := both[len(both)-1]
	_, at := axis(t.metric)
	of := func(cells map[float64]cell.Cell) (cell.Cell, stats.Interval) {
		c := cells[n].Over(cells[1])
		return c, stats.Interval{Median: c.Median / n, Lo: c.Lo / n, Hi: c.Hi / n}
	}
	c, v := of(cells)
	unit := quantity{" %", 0.01}
	if t.b != "" {
		second, w := of(base)
		v, unit = stats.Ratio(w, v), times
		if second.Spread() < c.Spread() {
			c = second
		}
	}
	if c.Spread() < cell.Few {
		return Result{Verdict: Unclear, Number: unit.text(v.Median) + " " + at(n), Why: "one launch"}
	}
	return t.interval(v, unit, at(n))
}

// A dip tests the bandwidth of the first size that goes by rendezvous over that of the last one
// that goes eagerly, in each series of a side.
type dip struct {
	bounds
	a side
}

func (t dip) want() string { return t.text(times) }

func (t dip) judge(s *cell.Set) Result {
	const metric = "bandwidth_Bps"
	points := t.a.of(s, metric)
	if len(points) == 0 {
		return missing(t.a, metric)
	}
	x, at := axis(metric)
	changes := map[float64]cell.Cell{}
	for _, series := range cell.Split(points, metric, x) {
		for i := 1; i < len(series.Cells); i++ {
			before, after := series.Cells[i-1], series.Cells[i]
			if eager(before) && !eager(after) {
				if c := after.Over(before); changes[c.X].Points == nil || c.Median < changes[c.X].Median {
					changes[c.X] = c
				}
			}
		}
	}
	if len(changes) == 0 {
		return Result{Verdict: Missing, Why: "no series goes from eager to rendezvous"}
	}
	all := ratio{bounds: t.bounds, metric: metric, b: t.a, how: somewhere}
	return all.over(within(changes, 0, 0), func(x float64) (cell.Cell, string) { return changes[x], at(x) }, changes)
}

func eager(c cell.Cell) bool { return strings.HasPrefix(c.Points[0].Path, "eager") }

// A variation tests the greatest distance of a launch from the median of its cell, over all cells
// of at least five launches.
type variation struct {
	max    float64 // as a share of the median
	metric string
	a      side
}

func (t variation) want() string { return "at most " + human.Percent(t.max) + " %" }

func (t variation) judge(s *cell.Set) Result {
	x, at := axis(t.metric)
	farthest, where := -1.0, ""
	for _, series := range cell.Split(t.a.of(s, t.metric), t.metric, x) {
		for _, c := range series.Cells {
			if c.Launches() < 5 {
				continue
			}
			list := c.Medians(t.metric)
			if d := max(c.Median-list[0], list[len(list)-1]-c.Median) / c.Median; d > farthest {
				farthest, where = d, at(c.X)
			}
		}
	}
	r := Result{Verdict: Holds, Number: human.Percent(farthest) + " % " + where}
	switch {
	case farthest < 0:
		r = missing(t.a, t.metric)
		r.Why += " of 5 launches"
	case farthest > t.max:
		r.Verdict = Fails
	}
	return r
}
