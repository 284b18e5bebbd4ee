package comparison

import (
	"fmt"
	"io"
	"strings"

	"gobench/bench/compare"
)

// Markdown prints a comment for a pull request: the answer, what changed, and all
// rows folded away. The error is that of the writer.
func Markdown(w io.Writer, r *compare.Result) error {
	var b strings.Builder
	b.WriteString("### gobench compare\n\n")
	if r.Gate != nil {
		fmt.Fprintf(&b, "**%s**: %s.\n\n", r.Gate.Conclusion, plain(r.Gate.Why))
		if power := r.Gate.Power; power != "" {
			fmt.Fprintf(&b, "%s.\n\n", plain(strings.ToUpper(power[:1])+power[1:]))
		}
	}
	fmt.Fprintf(&b, "%s.\n", tally(r))
	var changed, all []*compare.Row
	for i := range r.Rows {
		all = append(all, &r.Rows[i])
		if v := r.Rows[i].Verdict; v == compare.Slower || v == compare.Faster {
			changed = append(changed, &r.Rows[i])
		}
	}
	if len(changed) > 0 {
		b.WriteString("\n")
		rows(&b, changed)
	}
	if len(all) > len(changed) {
		b.WriteString("\n<details><summary>All cells</summary>\n\n")
		rows(&b, all)
		b.WriteString("\n</details>\n")
	}
	if len(r.Warnings) > 0 {
		b.WriteString("\n")
		for _, warning := range r.Warnings {
			fmt.Fprintf(&b, "- warning: %s\n", plain(warning))
		}
	}
	fmt.Fprintf(&b, "\nMethod: %s.\n", plain(r.Method))
	_, err := io.WriteString(w, b.String())
	return err
}

func rows(b *strings.Builder, list []*compare.Row) {
	b.WriteString("| cell | metric | base | new | ratio | interval | p | n | verdict |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range list {
		unit, by := scale(r.Metric)
		word := string(r.Verdict)
		if r.Verdict == compare.Slower || r.Verdict == compare.Faster {
			word = "**" + word + "**"
		} else if r.Verdict == compare.Unclear {
			word = verdict(r)
		}
		fmt.Fprintf(b, "| %s | %s [%s] | %s | %s | %s | %s | %s | %s | %s |\n", plain(r.Cell.String()), plain(r.Metric.Name), unit,
			value(r.A.Median, by), value(r.B.Median, by), ratio(r.Ratio.Median), interval(r), probability(r), plain(samples(r)), plain(word))
	}
}

// plain keeps Markdown from reading text as its own.
func plain(s string) string {
	if strings.HasPrefix(s, "**") {
		return s
	}
	return strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", "&lt;").Replace(s)
}
