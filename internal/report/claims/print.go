package claims

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/terminal"
)

// Count returns how many results have each verdict: "holds: 3, fails: 0, ...".
func Count(results []Result) string {
	var words []string
	for _, v := range []Verdict{Holds, Fails, Unclear, Missing} {
		n := len(collect.If(results, func(r Result) bool { return r.Verdict == v }))
		words = append(words, fmt.Sprintf("%s: %d", v, n))
	}
	return strings.Join(words, ", ")
}

// Ours returns our number, and why there is no verdict.
func (r *Result) Ours() string {
	if r.Number != "" && r.Why != "" {
		return r.Number + "; " + r.Why
	}
	return r.Number + r.Why
}

// defaultWidth is the width of lines that go to no terminal, in columns.
const defaultWidth = 100

// Print prints two or more lines for each result, at most width columns wide; 0 = defaultWidth.
func Print(w io.Writer, results []Result, width int) error {
	width = cmp.Or(width, defaultWidth)
	var b strings.Builder
	for _, r := range results {
		b.WriteString(terminal.Hang(fmt.Sprintf("%-13s ", r.Verdict), r.Where+": "+r.Text, width))
		b.WriteString(terminal.Hang(strings.Repeat(" ", 14), "claimed: "+r.Want()+"; ours: "+r.Ours(), width))
	}
	fmt.Fprintf(&b, "# %s\n", Count(results))
	_, err := io.WriteString(w, b.String())
	return err
}

// List prints all claims.
func List(w io.Writer, width int) error {
	width = cmp.Or(width, defaultWidth)
	for _, c := range table {
		if _, err := io.WriteString(w, terminal.Hang(fmt.Sprintf("%-13s ", c.Works), c.Where+": "+c.Text, width)); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes a row for each result.
func CSV(w io.Writer, results []Result) error {
	rows := [][]string{{"source", "where", "claim", "claimed", "ours", "verdict", "why"}}
	for _, r := range results {
		rows = append(rows, []string{r.Works, r.Where, r.Text, r.Want(), r.Number, string(r.Verdict), r.Why})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
