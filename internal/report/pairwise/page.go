package pairwise

import (
	"fmt"
	"io"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/document"
	"gobench/pairs"
)

// writePage writes a result as a page: the answer, a row for each finding and remark, the matrices
// of times, and the hosts that are good.
func writePage(w io.Writer, r *pairs.Result) error {
	cell := func(words ...string) (row []document.Field) {
		return collect.Each(words, func(s string) document.Field { return document.Field{Text: s} })
	}
	answer := document.Section{Title: "Verdict", Blocks: []document.Block{document.Lead(headline(r.Verdict)), document.Text(trust(r.Verdict))}}
	found := document.Table{Title: "What is not like the others", Columns: []string{"where", "what", "worse than good pairs", "state", "evidence", "do"}}
	for _, f := range append(r.Findings, r.Suspects...) {
		var factors []string
		if f.Factor != nil {
			factors = append(factors, f.Factor.Of+" "+f.Factor.String())
		}
		factors = append(factors, collect.Each(f.Others, func(o pairs.Factor) string { return o.Of + " " + o.String() })...)
		found.Rows = append(found.Rows, cell(Name(f), string(f.Kind), strings.Join(factors, "; "), string(f.Status), strings.Join(f.Evidence, "; "), f.Advice))
	}
	for _, s := range Remarks(r.Verdict) {
		answer.Blocks = append(answer.Blocks, document.Text(s))
	}
	if found.Rows != nil {
		answer.Blocks = append(answer.Blocks, found)
	}
	for _, c := range r.Changes {
		answer.Blocks = append(answer.Blocks, document.Text(c.String()))
	}
	if f := Figure(r); f != nil {
		answer.Blocks = append(answer.Blocks, document.Picture{Figure: f})
	}
	hosts := document.Section{Title: "Hosts"}
	remarks := document.Table{Title: "What differs on some", Columns: []string{"host", "what"}}
	for _, n := range r.Remarks {
		remarks.Rows = append(remarks.Rows, cell(n.Host, n.Text))
	}
	if remarks.Rows != nil {
		hosts.Blocks = append(hosts.Blocks, remarks)
	}
	if same := common(r.Facts); same != nil {
		hosts.Blocks = append(hosts.Blocks, document.Text("On all hosts: "+strings.Join(same, ", ")+"."))
	}
	hosts.Blocks = append(hosts.Blocks, document.Text(fmt.Sprintf("%d hosts are good: %s", len(r.Good), strings.Join(r.Good, ", "))))
	d := document.Document{Title: "Pairs of hosts", Sections: []document.Section{answer, hosts}}
	return d.HTML(w)
}
