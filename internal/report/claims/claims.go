// Package claims tests what the thesis and its papers (docs/sources.md) state against records. One
// table (table.go) has all claims, each with its source and a test of one of a few forms
// (forms.go).
//
// A claim speaks of the machines and programs of its source. It holds here if the same relation
// holds between records of gobench, whatever machine they are of.
package claims

import (
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/nearest"
)

// A Claim is a statement of a publication that records can test.
type Claim struct {
	Works string // "thesis", or the prefix of a paper as in package published; several: "thesis ibvdev"
	Where string // in it: "chapter 7", "figure 3.3"
	Text  string
	test  test
}

// A Verdict is the outcome of a test.
type Verdict string

const (
	Holds   Verdict = "holds"        // the whole interval of our number is as claimed
	Fails   Verdict = "fails"        // the whole interval is otherwise
	Unclear Verdict = "inconclusive" // the data do not decide
	Missing Verdict = "not measured"
)

// A Result is what records say about a claim.
type Result struct {
	Claim
	Verdict Verdict
	Number  string // ours, with its interval: "1.3 times (1.2 to 1.4) at 4 KiB"; "" = not measured
	Why     string // reason of Unclear and Missing, a clause
}

// Want returns what the claim expects of the number: "above 1 times".
func (r *Result) Want() string { return r.test.want() }

// Works returns the names of all publications with claims, for help texts.
func Works() []string {
	var list []string
	for _, c := range table {
		list = collect.Union(list, strings.Fields(c.Works)...)
	}
	return list
}

// Of returns the claims of a publication. The error for an unknown name is a *nearest.UnknownError.
func Of(work string) ([]Claim, error) {
	list := collect.If(table, func(c Claim) bool { return slices.Contains(strings.Fields(c.Works), work) })
	if list == nil {
		return nil, &nearest.UnknownError{What: "publication", Name: work, Known: Works(), List: "publications with claims"}
	}
	return list, nil
}

// Judge tests claims against the records of a set.
func Judge(s *cell.Set, list []Claim) []Result {
	return collect.Each(list, func(c Claim) Result {
		r := c.test.judge(s)
		r.Claim = c
		return r
	})
}
