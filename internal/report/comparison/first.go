package comparison

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
	"gobench/report"
)

// Text writes a comparison as v selects it: on a terminal a first screen, elsewhere or with v.Full
// the table of all rows. It returns errors of the writer.
func Text(w io.Writer, t report.Terminal, r *compare.Result, v report.View) error {
	if t.Width == 0 || v.Full {
		return Table(w, t, r)
	}
	var b strings.Builder
	say := func(head, body string) { b.WriteString(terminal.Hang(head, body, t.Width)) }
	say("", fmt.Sprintf("gobench compare   by %s   base %s, %s of each side", r.By, side(r.Sides[0].Name), launchesText(r.Sides)))
	b.WriteByte('\n')
	for _, line := range results(t, r) {
		b.WriteString(line + "\n")
	}
	b.WriteByte('\n')
	word, text := verdictOf(r)
	warnings := r.Explained()
	if n := len(warnings); n > 0 && !v.Warnings {
		text += fmt.Sprintf(" %s: %v.", human.Count(n, "note", "notes"), remedy.Named("warnings"))
	}
	say(fmt.Sprintf("%-7s ", word), text)
	if v.Warnings {
		for _, warning := range warnings {
			say("        - ", warning)
		}
	}
	b.WriteByte('\n')
	records := cmp.Or(v.Records, "FILE...")
	by := ""
	if r.By != "file" {
		by = " " + remedy.Set("by", r.By).String()
	}
	if base := r.Options.Base; base != "" {
		by += " " + remedy.Set("base", base).String()
	}
	say("all rows, intervals, p:  ", "gobench compare "+records+by+" --full")
	say("figures:  ", "gobench report "+records+"   words: gobench explain ratio")
	_, err := io.WriteString(w, b.String())
	return err
}

// launchesText returns the numbers of launches of the sides: "8 launches", "8 to 16 launches".
func launchesText(sides []compare.Side) string {
	lowest, highest := sides[0].Launches, sides[0].Launches
	for _, s := range sides {
		lowest, highest = min(lowest, s.Launches), max(highest, s.Launches)
	}
	if lowest < highest {
		return fmt.Sprintf("%d to %d launches", lowest, highest)
	}
	return human.Count(highest, "launch", "launches")
}

// frame is the number of lines of a first screen beside its results: head, trust, pointers, the
// blank lines between them, and the prompt.
const frame = 10

// minRoom is the number of lines of results on a terminal that is too low for a first screen: a
// head, a side, and how many more there are.
const minRoom = 3

// results returns the tallies, and the extremes where there is room for them.
func results(t report.Terminal, r *compare.Result) []string {
	room := max(minRoom, cmp.Or(t.Height, report.UsualHeight)-frame)
	lines := tallies(t, r)
	if more := extremes(t, r); len(lines)+1+len(more) <= room {
		return append(append(lines, ""), more...)
	}
	if left := len(lines) - room; left > 0 {
		lines = append(lines[:room-1], fmt.Sprintf("... and %d more: %v", left+1, remedy.Named("full")))
	}
	return lines
}

// tallies returns a line for each side: the numbers of its cells by verdict, and its ratios.
func tallies(t report.Terminal, r *compare.Result) []string {
	names := terminal.Column{Left: true} // the head names the base
	ratios := terminal.Column{Name: "ratio", Keep: 1}
	verdicts := []compare.Verdict{compare.Slower, compare.Faster, compare.Same, compare.Unclear}
	columns := []terminal.Column{{Name: "worse"}, {Name: "better"}, {Name: "same"}, {Name: string(compare.Unclear)}}
	for _, s := range r.Sides[1:] {
		counts := map[compare.Verdict]int{}
		lowest, highest := math.Inf(1), 0.0
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Side == s.Name {
				counts[row.Verdict]++
				lowest, highest = min(lowest, row.Ratio.Median), max(highest, row.Ratio.Median)
			}
		}
		names.Cells = append(names.Cells, terminal.Snip(labels(r)[s.Name], 30))
		for i, v := range verdicts {
			columns[i].Cells = append(columns[i].Cells, fmt.Sprint(counts[v]))
		}
		if lowest < highest {
			ratios.Cells = append(ratios.Cells, human.Rounded(lowest, 3)+" to "+human.Rounded(highest, 3))
		} else {
			ratios.Cells = append(ratios.Cells, human.Rounded(highest, 3))
		}
	}
	g := terminal.Grid{Columns: append(append([]terminal.Column{names}, columns...), ratios), Color: t.Color}
	return g.Lines(t.Width)
}

// maxExtremes is the number of rows that the first screen has of each kind.
const maxExtremes = 3

// extremes returns a table of the worst rows, and of the best ones if any is better.
func extremes(t report.Terminal, r *compare.Result) []string {
	rows := collect.Pointers(r.Rows)
	slices.SortStableFunc(rows, func(a, b *compare.Row) int { return cmp.Compare(b.Slowness().Median, a.Slowness().Median) })
	chosen := rows[:min(maxExtremes, len(rows))]
	best := rows[len(chosen):][max(0, len(rows)-len(chosen)-maxExtremes):]
	chosen = append(chosen, collect.If(best, func(row *compare.Row) bool { return row.Verdict == compare.Faster })...)
	column := func(name string, keep int, cell func(*compare.Row) string) terminal.Column {
		return terminal.Column{Name: name, Left: name == "cell" || name == "verdict", Keep: keep, Cells: collect.Each(chosen, cell)}
	}
	short := shortNames(r)
	was, now := "base", "new"
	if label := labels(r); len(r.Sides) == 2 {
		was, now = terminal.Snip(label[r.Sides[0].Name], 14), terminal.Snip(label[r.Sides[1].Name], 14)
	}
	g := terminal.Grid{Color: t.Color, Columns: []terminal.Column{
		column("cell", 9, func(row *compare.Row) string { return terminal.Snip(short(row), max(20, t.Width-48)) }),
		column(was, 2, func(row *compare.Row) string { return measured(row, row.A.Median) }),
		column(now, 3, func(row *compare.Row) string { return measured(row, row.B.Median) }),
		column("ratio", 0, func(row *compare.Row) string {
			return human.Rounded(row.Ratio.Median, max(3, human.Digits(halfWidth(row))))
		}),
		column("± %", 8, func(row *compare.Row) string { return cmp.Or(human.PlusMinus(halfWidth(row)), absent) }),
		column("verdict", 5, func(row *compare.Row) string { return string(row.Verdict) }),
	}}
	return g.Lines(t.Width)
}

// shortNames returns a function that names a row by the label of its cell, the factors in which
// rows differ, and its side if there are several.
func shortNames(r *compare.Result) func(*compare.Row) string {
	seen, vary := map[string]string{}, map[string]bool{}
	for i := range r.Rows {
		for _, f := range r.Rows[i].Cell.Factors {
			if value, known := seen[f.Name]; known && value != f.Value {
				vary[f.Name] = true
			}
			seen[f.Name] = f.Value
		}
	}
	return func(row *compare.Row) string {
		words := []string{row.Cell.Label()}
		for _, f := range row.Cell.Factors {
			if vary[f.Name] && !slices.Contains([]string{"bench", "size_B", "class", "ranks"}, f.Name) {
				words = append(words, f.Value)
			}
		}
		if len(r.Sides) > 2 {
			words = append(words, "("+labels(r)[row.Side]+")")
		}
		return strings.Join(words, " ")
	}
}

// halfWidth returns half of the interval of a ratio, relative to it; 0 = none.
func halfWidth(r *compare.Row) float64 {
	if !r.HasInterval() {
		return 0
	}
	return (r.Ratio.Hi - r.Ratio.Lo) / 2 / r.Ratio.Median
}

// measured formats a value of a row with its unit, to the digits of the ratio; the times of
// applications are in seconds.
func measured(r *compare.Row, x float64) string {
	unit, by := report.Scale(r.Metric.Key)
	if r.Cell.Sample.IsApplication() && unit == "us" {
		unit, by = "s", 1
	}
	return human.Rounded(x*by, human.Digits(halfWidth(r))) + " " + unit
}

// verdictOf returns one word about the comparison, and a text with effect, cause and remedy.
func verdictOf(r *compare.Result) (word, text string) {
	if r.Gate != nil {
		return "GATE", strings.TrimPrefix(answer(r), "gate: ") + "."
	}
	reasons := map[string]int{}
	var worst string
	rows := collect.Pointers(r.Rows)
	for _, row := range rows {
		if row.Verdict == compare.Unclear {
			if reasons[row.Why]++; reasons[row.Why] > reasons[worst] {
				worst = row.Why
			}
		}
	}
	found := collect.Each(rows, func(row *compare.Row) float64 { return row.Detectable })
	slices.Sort(found)
	share := found[(len(found)-1)/2]
	power := fmt.Sprintf("A slowdown of %s %% would have been found in half of the cells; differences up to %s %% do not count.", human.PlusMinus(share), human.Percent(r.Rows[0].Threshold))
	again := fmt.Sprintf(" Remedy: more %v, in turns (gobench sweep, gobench time).", remedy.Named("launches"))
	switch {
	case len(reasons) > 0 && worst != "":
		return "UNSURE", fmt.Sprintf("%d of %d cells are inconclusive: %s.%s", r.Count(compare.Unclear), len(r.Rows), worst, again)
	case math.IsInf(share, 1):
		return "UNSURE", "No slowdown would have been found in half of the cells." + again
	case share <= report.SteadyShare:
		return "STEADY", power
	case share <= report.NoisyShare:
		return "FAIR", power + again
	}
	return "NOISY", power + again
}
