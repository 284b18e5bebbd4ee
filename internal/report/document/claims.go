package document

import (
	"gobench/internal/report/claims"
	"gobench/internal/report/published"
)

// claimed returns the section about the claims of a publication.
func claimed(work string, results []claims.Result) Section {
	t := Table{Title: claims.Count(results), Columns: []string{"source", "claim", "claimed", "ours", "verdict"}}
	for _, r := range results {
		t.Rows = append(t.Rows, []Field{words(r.Where), words(r.Text), words(r.Want()), words(r.Ours()), words(string(r.Verdict))})
	}
	return Section{"Claims of " + published.Name(work), []Block{t, Text("Claims speak of the machines and programs of their source. Intervals are those of 95 % between launches, or the range of fewer than six.")}}
}
