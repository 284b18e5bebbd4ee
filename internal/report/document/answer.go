package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/style"
	"gobench/record"
	"gobench/stats"
)

// maxCaveats bounds the caveats that are not folded, and maxLeads the sentences of the lead.
const (
	maxCaveats = 3
	maxLeads   = 3
)

// answer returns the opening: what the records ask for in a sentence, headline numbers beside the
// first figure, whether the numbers are usual, and the worst caveats. Verdicts and further caveats
// are folded.
func answer(s *cell.Set, first []*figure.Figure) []Block {
	var blocks, left, more []Block
	t := headline(s)
	r := s.Compare()
	switch {
	case r != nil:
		sentences := difference(r)
		n := min(len(sides(r)), maxLeads)
		blocks = append(blocks, Lead(strings.Join(sentences[:n], " ")))
		more = append(more, Folded{"What the comparison says, and how it was made", []Block{List(sentences[n:]), verdicts(r)}})
	case len(t.Rows) > 0:
		blocks = append(blocks, Lead(inOneSentence(t)))
	}
	if len(t.Rows) > 0 {
		left = append(left, t)
	}
	if list := usual(s); len(list) > 0 {
		left = append(left, List(list))
	}
	if len(first) > 0 && len(left) > 0 {
		blocks = append(blocks, Beside{left, Picture{first[0]}})
	} else {
		blocks = append(blocks, left...)
		blocks = append(blocks, collect.Each(first, func(f *figure.Figure) Block { return Picture{f} })...)
	}
	labels := collect.If(collect.First(s.Runs, func(r *record.Run) string { return r.Label }), func(r *record.Run) bool { return r.Label != "" })
	switch {
	case r == nil && len(labels) > 1:
		names := collect.Each(labels, func(r *record.Run) string { return r.Label })
		more = append(more, Text(fmt.Sprintf("Of the factors that are compared without being asked for, none has two values. %v compares the labels %s.", remedy.Set("by", "label"), human.Enumerate(names, "and"))))
	case r == nil:
		more = append(more, Text("No factor has two values in these records, so nothing can be compared. Give files of two programs, machines or transports to see what differs."))
	}
	if list := caveats(s, r); len(list) > maxCaveats {
		blocks = append(blocks, Text("Caveats, the most severe first:"), List(list[:maxCaveats]),
			Folded{human.Count(len(list)-maxCaveats, "further caveat", "further caveats"), []Block{List(list[maxCaveats:])}})
	} else if len(list) > 0 {
		blocks = append(blocks, Text("Caveats, the most severe first:"), List(list))
	}
	return append(blocks, more...)
}

// inOneSentence returns the first rows of the headline as a sentence.
func inOneSentence(t Table) string {
	var parts []string
	for i, row := range t.Rows {
		if i == maxLeads {
			break
		}
		part := row[0].Text + " " + row[2].Text
		if row[3].Text != "" {
			part += " " + row[3].Text
		}
		if row[1].Text != "" {
			part += " over " + row[1].Text
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ") + "."
}

// difference returns a sentence for each pair of sides with the verdicts and the ratios, then
// sentences on their reliability and the warnings of the comparison.
func difference(r *compare.Result) []string {
	sentences := collect.Each(sides(r), func(rows []*compare.Row) string { return pair(rows, r.Options.Alpha) })
	switch level := levels(r); {
	case level[compare.Single] == len(r.Rows):
		sentences = append(sentences, "All comparisons are of single launches, which is no evidence. Measure several launches of each side.")
	case level[compare.Single] > 0:
		sentences = append(sentences, fmt.Sprintf("Comparisons of repeated launches: %d of %d; the others compare single launches and are no evidence.", level[compare.Launches], len(r.Rows)))
	default:
		sentences = append(sentences, fmt.Sprintf("Each launch counts as one value. By chance alone, a configuration gets a wrong verdict in at most %g %% of cases.", 100*r.Options.Alpha))
	}
	if r.Options.Floor == nil {
		sentences = append(sentences, fmt.Sprintf("The noise floor of this machine is unknown (gobench sweep %v measures it); the threshold is %.3g %%.", remedy.Named("aa"), 100*r.Options.Minimum))
	}
	warnings := r.Warnings
	if n := len(warnings) - maxWarnings; n > 0 {
		warnings = append(slices.Clone(warnings[:maxWarnings]), fmt.Sprintf("gobench compare prints %s.", human.Count(n, "further warning", "further warnings")))
	}
	return append(sentences, warnings...)
}

// maxWarnings bounds the warnings of a comparison on the first page.
const maxWarnings = 6

// sides returns the rows of each side that is compared with the base.
func sides(r *compare.Result) [][]*compare.Row {
	return collect.By(collect.Pointers(r.Rows), func(r *compare.Row) string { return r.Side })
}

func levels(r *compare.Result) map[compare.Level]int {
	n := map[compare.Level]int{}
	for _, row := range r.Rows {
		n[row.Level]++
	}
	return n
}

// pair summarizes the rows of one side against the base.
func pair(rows []*compare.Row, alpha float64) string {
	counts := map[compare.Verdict][]*compare.Row{}
	for _, r := range rows {
		counts[r.Verdict] = append(counts[r.Verdict], r)
	}
	var parts []string
	for _, v := range []compare.Verdict{compare.Slower, compare.Faster} {
		if list := counts[v]; len(list) > 0 {
			smallest, largest := extremes(list)
			parts = append(parts, fmt.Sprintf("%s in %d (%s)", v, len(list), spread(smallest, largest)))
		}
	}
	if n := len(counts[compare.Same]); n > 0 {
		parts = append(parts, fmt.Sprintf("the same in %d", n))
	}
	if list := counts[compare.Unclear]; len(list) > 0 {
		parts = append(parts, fmt.Sprintf("inconclusive in %d: %s", len(list), reasons(list, alpha)))
	}
	return fmt.Sprintf("%s against %s, %s: %s.", side(rows[0].Side), side(rows[0].Base), human.Count(len(rows), "configuration", "configurations"), strings.Join(parts, ", "))
}

// reasons returns the reasons why rows are inconclusive, the most frequent first, each with its
// number of rows and the greatest ratio among these.
func reasons(rows []*compare.Row, alpha float64) string {
	of := func(r *compare.Row) string { return reason(r, alpha) }
	alike := collect.By(rows, of)
	slices.SortFunc(alike, func(a, b []*compare.Row) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(of(a[0]), of(b[0])))
	})
	var parts []string
	for _, some := range alike {
		_, largest := extremes(some)
		part := of(some[0])
		if len(some) < len(rows) {
			part = fmt.Sprintf("%s in %d", part, len(some))
		}
		if f := factor(largest); f > 1.005 {
			part += fmt.Sprintf(" (ratios up to a factor of %s)", times(f))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// reason returns why a row is inconclusive, in words that are equal for rows with the same reason.
func reason(r *compare.Row, alpha float64) string {
	switch {
	case r.Metric.Key == "":
		return "no metric in common"
	case r.Level == compare.Launches && r.MinP() >= alpha:
		return "too few launches for any test (at least 4 of each side)"
	case r.Level == compare.Single:
		return "a single launch of one side"
	case strings.HasPrefix(r.Why, "the cores were"):
		return "near cores on one side and far cores on the other"
	case r.P < alpha && r.P > 0:
		return "a difference that may be below the threshold"
	}
	return "interval reaches into the threshold"
}

func side(name string) string { return figure.SideName(name) }

// extremes returns the rows with the smallest and the largest factor.
func extremes(rows []*compare.Row) (smallest, largest *compare.Row) {
	smallest, largest = rows[0], rows[0]
	for _, r := range rows {
		if factor(r) < factor(smallest) {
			smallest = r
		}
		if factor(r) > factor(largest) {
			largest = r
		}
	}
	return smallest, largest
}

// factor returns the ratio of a row, or its inverse if that is larger.
func factor(r *compare.Row) float64 {
	if r.Ratio.Median <= 0 {
		return 1
	}
	return math.Exp(math.Abs(math.Log(r.Ratio.Median)))
}

func spread(smallest, largest *compare.Row) string {
	if smallest == largest {
		return fmt.Sprintf("by a factor of %s at %s", times(factor(largest)), positionOf(largest.Cell))
	}
	return fmt.Sprintf("by a factor of %s at %s to %s at %s", times(factor(smallest)), positionOf(smallest.Cell), times(factor(largest)), positionOf(largest.Cell))
}

func times(f float64) string {
	if f < 1.1 {
		return fmt.Sprintf("%.3f", f)
	}
	digits := math.Pow(10, max(0, 2-math.Floor(math.Log10(f))))
	return style.Number(math.Round(f*digits) / digits)
}

// place returns a short name of a cell.
func positionOf(c compare.Cell) string {
	words := []string{cell.BenchName(c.Factor("bench"))}
	if problem := cell.ProblemName(cell.Point{Point: c.Sample}); problem != "" {
		words = append(words, problem)
	} else if !application(cell.Point{Point: c.Sample}) {
		words = append(words, style.Size(c.Sample.Size))
	}
	if c.Sample.Ranks != 2 {
		words = append(words, cell.RanksName(c.Sample.Ranks))
	}
	return strings.Join(words, " ")
}

// verdicts returns a table with the numbers of verdicts.
func verdicts(r *compare.Result) Table {
	t := Table{Title: "Verdicts by " + r.By, Columns: []string{"benchmark", "compared", "faster", "slower", "same", "inconclusive"}}
	for _, rows := range collect.By(collect.Pointers(r.Rows), func(r *compare.Row) [2]string { return [2]string{r.Cell.Factor("bench"), r.Side} }) {
		line := []Field{words(cell.BenchName(rows[0].Cell.Factor("bench"))), words(side(rows[0].Side) + " against " + side(rows[0].Base))}
		for _, v := range []compare.Verdict{compare.Faster, compare.Slower, compare.Same, compare.Unclear} {
			n := len(collect.If(rows, func(r *compare.Row) bool { return r.Verdict == v }))
			line = append(line, number(float64(n), fmt.Sprint(n)))
		}
		t.Rows = append(t.Rows, line)
	}
	t.Remark = r.Method + "."
	return t
}

// axis returns the position of cells in a series: the message size, or the number of ranks of an
// application.
func axis(points []cell.Point) (at func(cell.Point) float64, along []cell.Factor) {
	if points[0].IsApplication() {
		return func(p cell.Point) float64 { return float64(p.Ranks) }, []cell.Factor{cell.Ranks}
	}
	return func(p cell.Point) float64 { return float64(p.Size) }, nil
}

func where(p cell.Point) string {
	if p.Problem() != "" || p.Size == 0 && p.Metrics.Get("run_s").N > 0 {
		return cell.RanksName(p.Ranks)
	}
	return style.Size(p.Size)
}

// quantity formats a value of a metric with a suitable unit.
func quantity(key string, v float64) string {
	u := unitOf(key, v)
	return strings.TrimSpace(u.text(v) + " " + u.name)
}

// A unit is that in which values of a metric are written.
type unit struct {
	name  string  // "µs"; empty = the values lack a unit
	scale float64 // from the unit of the record
}

// unitOf returns a unit of a metric that suits some values: the median of them decides. Values of
// 0, which are not known, do not count.
func unitOf(key string, values ...float64) unit {
	v := stats.Median(collect.If(values, func(v float64) bool { return v != 0 }))
	m, _ := record.Lookup(key)
	switch m.Unit {
	case "s":
		switch {
		case v >= 0.1:
			return unit{"s", 1}
		case v >= 0.01:
			return unit{"ms", 1e3}
		}
		return unit{"µs", 1e6}
	case "B/s":
		if v < 1e8 {
			return unit{"MB/s", 1e-6}
		}
		return unit{"GB/s", 1e-9}
	case "1/s", "op/s":
		return unit{"million/s", 1e-6}
	case "1":
		return unit{"", 1}
	default:
		return unit{m.Unit, 1}
	}
}

func (u unit) text(v float64) string { return style.Number(v * u.scale) }

// of returns the field of a value, which is empty if it is 0: not known.
func (u unit) of(v float64) Field {
	if v == 0 {
		return Field{}
	}
	f := number(v*u.scale, u.text(v))
	f.Exact = true
	return f
}

// plusMinus returns the field of the median of a cell and the larger half of its interval between
// launches, which has two digits or is 0. Without such an interval it is the median alone.
func (u unit) plusMinus(c cell.Cell) Field {
	f := u.of(c.Median)
	if c.Spread() != cell.Between {
		return f
	}
	f.Half = u.scale * max(c.Hi-c.Median, c.Median-c.Lo)
	if f.Half < 1e-9*f.Value { // all launches gave the same
		f.Half, f.Text = 0, f.Text+" ± 0"
		return f
	}
	digits := max(0, 1-int(math.Floor(math.Log10(f.Half))))
	f.Text = fmt.Sprintf("%.*f ± %.*f", digits, f.Value, digits, f.Half)
	return f
}

// in returns the name of a column with the unit.
func (u unit) in(name string) string { return strings.TrimSuffix(name+", "+u.name, ", ") }
