package experiment

import (
	"context"
	"fmt"
	"strings"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/launch/rendezvous"
)

// A fact is a part of a command that must be equal on all ranks, as people know it.
type fact struct {
	Name  string `json:"name"` // with "is", as in "--level is"
	Value string `json:"value"`
}

// A role is what a rank shows the others before it measures.
type role struct {
	Facts  []fact `json:"facts"`
	Failed bool   `json:"failed,omitempty"` // rank 0 cannot export the results
}

// together returns an error, on all ranks, unless all ranks of a launcher other than gobench run
// the same measurement, and rank 0 can export its results: ranks that do not would wait for each
// other without end. It is collective, the first exchange of a command.
func (r *measurement) together(ctx context.Context, rank *rendezvous.Rank) error {
	var unwritable error
	if rank.Rank() == 0 {
		unwritable = r.checkExports()
	}
	all, err := device.Exchange(ctx, rank, role{r.facts(), unwritable != nil})
	if err != nil {
		return err
	}
	for other, theirs := range all {
		if differs := difference(all[0].Facts, theirs.Facts); differs != "" {
			name := func(n int) string { return device.RankName(n, device.HostName(rank, n)) }
			err := fmt.Errorf("the ranks of this job do not belong together: %s: give all ranks the same command line",
				fmt.Sprintf(differs, name(0), name(other)))
			if rank.Rank() == 0 {
				return &exit.UsageError{Err: err}
			}
			return &exit.ReportedError{Code: exit.Usage, Err: err} // rank 0 prints it
		}
	}
	switch {
	case unwritable != nil:
		return &exit.UsageError{Err: unwritable}
	case all[0].Failed:
		return &exit.ReportedError{Code: exit.Usage, Err: errElsewhere}
	}
	return nil
}

// facts returns what must be equal on all ranks, the most telling first.
func (r *measurement) facts() []fact {
	var transports, levels, benchmarks, sizes []string
	for _, t := range r.Transports {
		transports, levels = append(transports, t.Driver.Name()), append(levels, t.Level)
	}
	for _, c := range r.Plan.Cases {
		benchmarks, sizes = collect.Union(benchmarks, c.Bench.Name), collect.Union(sizes, fmt.Sprint(c.Size))
	}
	programs := collect.Each(r.Jobs, func(j application.Job) string { return j.Program.Name + " " + j.Label })
	list := func(words []string) string { return strings.Join(words, ",") }
	facts := []fact{
		{"the verb", r.verb()},
		{remedy.Named("transport").String(), list(transports)},
		{remedy.Named("level").String(), list(levels)},
		{"the list of benchmarks", list(benchmarks)},
		{"the list of sizes", list(sizes)},
		{"the list of programs", list(programs)},
		{"the number of ranks of a process", fmt.Sprint(r.PerProcess)},
		{remedy.Named("threads").String(), fmt.Sprint(r.Threads)},
		{remedy.Named("repeat").String(), fmt.Sprint(r.Repeat)},
	}
	for _, t := range r.Transports {
		for _, o := range t.Driver.Options() {
			if !o.Local {
				facts = append(facts, fact{fmt.Sprintf("option %s of %s", o.Name, t.Driver.Name()), r.set[t.Driver.Name()][o.Name]})
			}
		}
	}
	for _, choice := range r.Coll.Force {
		if choice != nil {
			facts = append(facts, fact{"an algorithm", choice.String()})
		}
	}
	return append(facts, fact{"the hash of the plan", fmt.Sprintf("%016x", r.Plan.Fingerprint())})
}

// verb returns the verb of the command line.
func (r *measurement) verb() string {
	for _, word := range r.Command[1:] {
		if !strings.HasPrefix(word, "-") {
			return word
		}
	}
	return ""
}

// maxOfFact bounds the length of a value in a message; a list of sizes may be long.
const maxOfFact = 60

// difference returns a text about the first fact in which two ranks differ, with a verb %s for the
// name of each rank, or "" if they agree.
func difference(zero, other []fact) string {
	at := func(list []fact, i int) fact {
		if i < len(list) {
			return list[i]
		}
		return fact{}
	}
	for i := range max(len(zero), len(other)) {
		a, b := at(zero, i), at(other, i)
		if a == b {
			continue
		}
		if a.Name != b.Name { // they have other transports or versions, of which the facts differ
			a.Value, b.Value = a.Name+" "+a.Value, b.Name+" "+b.Value
			a.Name = "the command"
		}
		quoted := func(s string) string {
			if s == "" {
				return "not set"
			}
			if len(s) > maxOfFact {
				s = s[:maxOfFact] + "..."
			}
			return strings.ReplaceAll(fmt.Sprintf("%q", s), "%", "%%")
		}
		return a.Name + " is " + quoted(a.Value) + " on %s and " + quoted(b.Value) + " on %s"
	}
	return ""
}
