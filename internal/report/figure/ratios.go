package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
)

// Ratios draws the ratio of each cell of one side to the same cell of the other side.
func Ratios(s *cell.Set) []*Figure {
	r := s.Compare()
	if r == nil {
		return nil
	}
	all := Forest(r)
	unequal := map[string]string{}
	for _, part := range by(s.Rows, cell.Bench) {
		unequal[part.name] = Unequal(part.points)
	}
	for _, f := range all {
		if what := unequal[f.Bench]; what != "" {
			f.Remarks = append(f.Remarks, what)
		}
	}
	return all
}

// maxRows bounds the rows of a figure, which fit on a page.
const maxRows = 32

// Forest draws a comparison, one figure for each benchmark and pair of sides. If a figure would
// have too many rows, it is divided between transports, levels or other factors, but not between
// sizes of one configuration. All parts have the same scale.
func Forest(r *compare.Result) []*Figure {
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(a, b compare.Row) int {
		return cmp.Or(cmp.Compare(Interest(a.Cell.Factor("bench")), Interest(b.Cell.Factor("bench"))), cmp.Compare(a.Cell.Factor("bench"), b.Cell.Factor("bench")),
			cmp.Compare(a.Side, b.Side))
	})
	var all []*Figure
	shown := func(r compare.Row) [2]string { return [2]string{r.Cell.Factor("bench"), r.Side} }
	for _, same := range collect.By(rows, shown) {
		lo, hi := extent(same)
		parts, whole := divided(same), sharedWords(same)
		for i, part := range parts {
			f := forest(r, part, lo, hi)
			if i > 0 {
				f.Name += fmt.Sprintf("-%d", i+1)
			}
			if len(parts) > 1 {
				f.Title += fmt.Sprintf(" (%d of %d): %s", i+1, len(parts), partTitle(part, whole))
			}
			all = append(all, f)
		}
	}
	return all
}

// divided splits rows into parts of at most maxRows rows, without separating the sizes of a
// configuration.
func divided(rows []compare.Row) (parts [][]compare.Row) {
	begin := 0 // of the part
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].Cell.Kind() == rows[from].Cell.Kind() {
			to++
		}
		if to-begin > maxRows && from > begin {
			parts = append(parts, rows[begin:from])
			begin = from
		}
		from = to
	}
	return append(parts, rows[begin:])
}

// extent returns the range of the marks and intervals of rows, with margins.
func extent(rows []compare.Row) (lo, hi float64) {
	lo, hi = 0.95, 1.05
	for i := range rows {
		at, from, to := slowness(&rows[i])
		if at == 0 {
			continue
		}
		x0, x1, _, _ := Ratio{At: at, Lo: from, Hi: to}.DataRange()
		lo, hi = min(lo, x0), max(hi, x1)
	}
	room := math.Pow(hi/lo, 0.04)
	return lo / room, hi * room
}

func forest(r *compare.Result, rows []compare.Row, lo, hi float64) *Figure {
	panel := NewPanel("")
	panel.X.Scale, panel.X.Tick.Marker = style.Log{}, style.Decades{}
	var names []string
	shared := sharedWords(rows)
	for i := range rows {
		names = append(names, rowName(rows[i].Cell, shared))
	}
	panel.NameY(names)
	for i := range rows {
		panel.Add(Noise{Row: float64(i), Threshold: rows[i].Threshold})
	}
	panel.Add(Grid{NoY: true}, Rule{At: 1, Vertical: true, Color: style.Ink})
	for i := range rows {
		at, lo, hi := slowness(&rows[i])
		if at == 0 {
			continue
		}
		panel.Add(Ratio{Row: float64(i), At: at, Lo: lo, Hi: hi, Verdict: rows[i].Verdict, Text: ratioTooltip(names[i], &rows[i], at)})
	}
	panel.X.Min, panel.X.Max = lo, hi
	first := rows[0]
	bench, side, base := first.Cell.Factor("bench"), sideOf(r.By, first.Side), sideOf(r.By, first.Base)
	panel.XLabel = fmt.Sprintf("time of %s / time of %s (left of 1: %[1]s is faster)", side, base)

	f := &Figure{
		Name: file(bench, "ratio", first.Side), Bench: bench,
		Title: fmt.Sprintf("%s: %s against %s", headline(bench), side, base),
		Rows:  [][]*Panel{{panel}}, Height: vg.Length(len(rows))*11 + 52,
	}
	for _, v := range []compare.Verdict{compare.Faster, compare.Slower, compare.Same, compare.Unclear} {
		if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Verdict == v }) {
			f.Keys = append(f.Keys, Key{Name: Verdict(v), Look: looks[v]})
		}
	}
	f.Caption = join("One row per configuration. Marker: time ratio (for rates, inverted); line: its "+Confidence(r.Options.Alpha)+".",
		fmt.Sprintf("Grey area round 1: differences below the threshold of %s %% (the least that counts).", style.Number(100*rows[0].Threshold)),
		tooFewRows(rows, r.Options.Alpha))
	if len(shared) > 0 {
		f.Caption += " All: " + strings.Join(shared, ", ") + "."
	}
	f.Method = compared(rows, r)
	return f
}

// Confidence returns the name of an interval with a probability of error: "95 % CI".
func Confidence(alpha float64) string { return style.Number(100*(1-alpha)) + " % CI" }

// compared returns the method of the given rows. r.Method describes all rows.
func compared(rows []compare.Row, r *compare.Result) string {
	launches, widest := 0, 1.0
	for _, row := range rows {
		if row.Level == compare.Launches {
			launches++
			widest = max(widest, row.Widening)
		}
	}
	single := "ratio of medians of single launches, which do not predict the next one, without CI"
	s := fmt.Sprintf("each launch counts as one value, its median; ratio by Hodges and Lehmann, CI and p-value of the Mann-Whitney test at %g %%", 100*(1-r.Options.Alpha))
	if widest > 1 {
		s += fmt.Sprintf(", up to %.2g times as wide because the sides were measured one after the other", widest)
	}
	switch {
	case launches == 0:
		return single + "."
	case launches < len(rows):
		s += fmt.Sprintf("; %s: %s", human.Count(len(rows)-launches, "row", "rows"), single)
	}
	return s + "."
}

// tooFewRows returns a sentence with the number of rows with too few launches for a test; empty if
// there are none.
func tooFewRows(rows []compare.Row, alpha float64) string {
	n, largest := 0, 0.0
	for i := range rows {
		if tooFew(&rows[i], alpha) {
			n++
			if at, _, _ := slowness(&rows[i]); at > 0 {
				largest = max(largest, at, 1/at)
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Too few launches for a test, however large the difference (up to a factor of %s): %d of %s; at least 4 of each side are needed.", style.Number(largest), n, human.Count(len(rows), "row", "rows"))
}

// tooFew reports whether a row has too few launches for any difference to be significant.
func tooFew(r *compare.Row, alpha float64) bool {
	return r.Level == compare.Launches && r.MinP() >= alpha
}

// partTitle returns what distinguishes the rows of a part of a figure from the others: the words
// that only they share, and the first and the last of the words in which they differ, without
// sizes. whole are the words that all rows of the figure share.
func partTitle(rows []compare.Row, whole []string) string {
	words := slices.DeleteFunc(sharedWords(rows), func(w string) bool { return slices.Contains(whole, w) })
	differing := func(r compare.Row) (w []string) {
		for _, f := range r.Cell.Factors {
			if s := word(f, r.Cell.Sample); s != "" && f.Name != "size_B" && !slices.Contains(whole, s) && !slices.Contains(words, s) {
				w = append(w, s)
			}
		}
		return w
	}
	if first, last := strings.Join(differing(rows[0]), ", "), strings.Join(differing(rows[len(rows)-1]), ", "); first != last {
		words = append(words, first+" to "+last)
	}
	return strings.Join(words, ", ")
}

// SideName returns the name of a side of a comparison. A side without a library is gobench.
func SideName(name string) string {
	if name == "" || name == "(none)" {
		return "gobench"
	}
	return name
}

// sideOf returns the name of a side of a comparison by a factor; a number has the name of the
// factor before it: "threads 2".
func sideOf(by, name string) string {
	if _, err := strconv.Atoi(name); err == nil {
		return strings.ReplaceAll(by, "_", " ") + " " + name
	}
	return SideName(name)
}

// verdictNames maps verdicts to the words of reports where these differ from the record.
var verdictNames = map[compare.Verdict]string{compare.Unclear: "inconclusive"}

// Verdict returns the word for a verdict in figures and reports.
func Verdict(v compare.Verdict) string {
	if name, ok := verdictNames[v]; ok {
		return name
	}
	return string(v)
}

// slowness returns the ratio of times with its interval, 0 if a row has no ratio.
func slowness(r *compare.Row) (at, lo, hi float64) {
	s := r.Slowness()
	if !r.HasInterval() {
		return s.Median, 0, 0
	}
	return s.Median, s.Lo, s.Hi
}

// word formats a factor of a cell for captions; empty if it is a default.
func word(f compare.Factor, sample *record.Point) string {
	switch f.Name {
	case "bench", "cache", "memory", "rank_kind", "root", "start", "check", "options":
		if f.Value == "cold" || f.Value == "device" || f.Value == "goroutine" {
			return f.Name + " " + f.Value
		}
		return ""
	case "size_B":
		if run := sample.Metrics.Has("run_s"); run || sample.Problem() != "" {
			return "" // applications have no message size
		}
		return style.Size(sample.Size)
	case "level", "threads":
		return f.Name + " " + f.Value
	}
	if of := record.LookupFactor(f.Name); of != nil {
		return of.Say(sample)
	}
	return f.Value
}

// Word describes the level of a factor of a cell, also where captions leave it out: "ring", "no
// window", "copy=cma".
func Word(factor string, c compare.Cell) string {
	value := c.Factor(factor)
	switch s := word(compare.Factor{Name: factor, Value: value}, c.Sample); {
	case s != "":
		return s
	case value == "":
		return "no " + strings.ReplaceAll(factor, "_", " ")
	}
	return strings.ReplaceAll(factor, "_", " ") + " " + value
}

// sharedWords returns the words that all rows have in common.
func sharedWords(rows []compare.Row) []string {
	var shared []string
	for _, f := range rows[0].Cell.Factors {
		w := word(f, rows[0].Cell.Sample)
		if w != "" && len(rows) > 1 && !slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Cell.Factor(f.Name) != f.Value }) {
			shared = append(shared, w)
		}
	}
	return shared
}

func rowName(c compare.Cell, shared []string) string {
	var words []string
	for _, f := range c.Factors {
		if w := word(f, c.Sample); w != "" && !slices.Contains(shared, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return c.Factor("bench")
	}
	return strings.Join(words, ", ")
}
