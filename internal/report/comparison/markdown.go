package comparison

import (
	"fmt"
	"io"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/report/markdown"
)

// Markdown writes a comment for a pull request: the decision, the changed cells, and all rows
// folded. It returns errors of the writer.
func Markdown(w io.Writer, r *compare.Result) error {
	var b strings.Builder
	b.WriteString("### gobench compare\n\n")
	if r.Gate != nil {
		fmt.Fprintf(&b, "**%s**: %s.\n\n", r.Gate.Conclusion, markdown.Text(r.Gate.Why))
		if power := r.Gate.Power; power != "" {
			fmt.Fprintf(&b, "%s.\n\n", markdown.Text(strings.ToUpper(power[:1])+power[1:]))
		}
	}
	fmt.Fprintf(&b, "%s.\n", markdown.Text(tally(r)))
	all := collect.Pointers(r.Rows)
	changed := collect.If(all, differs)
	if len(changed) > 0 {
		b.WriteString("\n")
		rows(&b, changed)
	}
	if len(all) > len(changed) {
		b.WriteString("\n<details><summary>All cells</summary>\n\n")
		rows(&b, all)
		b.WriteString("\n</details>\n")
	}
	if warnings := r.Explained(); len(warnings) > 0 {
		b.WriteString("\n")
		for _, warning := range warnings {
			fmt.Fprintf(&b, "- warning: %s\n", markdown.Text(warning))
		}
	}
	fmt.Fprintf(&b, "\nMethod: %s.\n", markdown.Text(r.Method))
	_, err := io.WriteString(w, b.String())
	return err
}

func differs(r *compare.Row) bool { return r.Verdict == compare.Slower || r.Verdict == compare.Faster }

func rows(b *strings.Builder, list []*compare.Row) {
	b.WriteString("| cell | metric | base | new | ratio | interval | p | n | verdict |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range list {
		unit, by := scale(r.Metric)
		word := markdown.Text(verdict(r))
		if differs(r) {
			word = "**" + word + "**"
		}
		fmt.Fprintf(b, "| %s | %s [%s] | %s | %s | %s | %s | %s | %s | %s |\n", markdown.Text(r.Cell.String()), markdown.Text(r.Metric.Name), unit,
			value(r.A.Median, by), value(r.B.Median, by), ratio(r.Ratio.Median), interval(r), probability(r), markdown.Text(samples(r)), word)
	}
}
