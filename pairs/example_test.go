package pairs_test

import (
	"fmt"

	"gobench/pairs"
)

// A study names the host whose messages take three times as long, whomever it is measured with.
func Example() {
	var hosts []pairs.Host
	for n := range 12 {
		hosts = append(hosts, pairs.Host{Name: fmt.Sprint("h", n)})
	}
	study := pairs.NewStudy(hosts, pairs.Options{Seed: 1})
	for matches := study.Next(); matches != nil; matches = study.Next() {
		var results []pairs.Sample
		for _, m := range matches { // a program of yours measures here
			s := pairs.Sample{A: hosts[m.A].Name, B: hosts[m.B].Name, Round: m.Round, Stage: m.Stage,
				HalfRTT: pairs.Times{Median: 10e-6, N: 1000}, Forth: 1e10, Back: 1e10, Both: 2e10}
			if s.A == "h3" || s.B == "h3" {
				s.HalfRTT.Median = 30e-6
			}
			results = append(results, s)
		}
		study.Add(results)
	}
	for _, f := range study.Verdict(nil).Findings {
		fmt.Println(f.Hosts, f.Kind, f.Status)
	}
	// Output: [h3] delay confirmed
}
