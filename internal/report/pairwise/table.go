// Package pairwise prints the verdict about the hosts of a cluster (package pairs): as a table, and
// as the files that node health checks, schedulers and monitors read.
package pairwise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/launch/hostlist"
	"gobench/internal/terminal"
	"gobench/pairs"
)

// PrintJSON writes a result as one JSON object.
func PrintJSON(w io.Writer, result any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(result)
}

// PrintImpact writes how much a load disturbs.
func PrintImpact(w io.Writer, i *pairs.Impact) error {
	var b strings.Builder
	fmt.Fprintf(&b, "load %s by %s, which send %s: %d measurements of the others, %d without a result\n", i.Pattern, hostlist.Fold(i.Loading), Rate(i.Rate), i.Samples, i.Failed)
	fmt.Fprintf(&b, "small messages are due each %s, and timed from then on; each value with the load over that without it:\n", Time(i.Interval))
	for _, x := range i.Factors {
		fmt.Fprintf(&b, "  %s: %s\n", x.Of, x)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Line returns the finding in some words, for a notice while the measurement goes on.
func Line(f pairs.Finding) string {
	if f.Status == pairs.Unconfirmed {
		return Name(f) + ": suspected"
	}
	return fmt.Sprintf("%s: %s, %s", Name(f), f.Kind, f.Status)
}

// maxReasons bounds the reasons that are printed for what is not confirmed; JSON has all.
const maxReasons = 5

// lines returns a function that writes text below an indentation, of at most width columns, 0 = not
// wrapped.
func lines(b *strings.Builder, width int) func(indent, text string) {
	return func(indent, text string) { b.WriteString(terminal.Hang(indent, text, width)) }
}

// Print writes the verdict as text of the given width, 0 = not wrapped.
func Print(w io.Writer, r *pairs.Result, width int) error {
	v := r.Verdict
	var b strings.Builder
	line := lines(&b, width)
	line("", headline(v))
	line("", trust(v))
	for _, f := range v.Findings {
		b.WriteString("\n")
		line("", title(f))
		for _, s := range about(f) {
			line("  ", s)
		}
	}
	if len(v.Suspects) > 0 {
		b.WriteString("\n")
		line("", "not confirmed: "+suspects(v.Suspects))
		why := slices.Concat(collect.Each(v.Suspects, func(f pairs.Finding) []string { return f.Evidence })...)
		for _, s := range why[:min(len(why), maxReasons)] {
			line("  ", s)
		}
	}
	for _, s := range Remarks(v) {
		line("", s)
	}
	for _, c := range r.Changes {
		line("", c.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Remarks returns sentences about what a verdict does not judge, and what it withdraws.
func Remarks(v pairs.Verdict) (list []string) {
	if v.Contended {
		list = append(list, "other programs, or quotas of CPU time, take part of the cores of most hosts: of the small messages only the fastest are judged, and jitter names nobody; end these programs, or raise the quotas, and measure again")
	}
	hosts := map[string][]string{}
	for _, r := range v.Unjudged {
		hosts[r.Text] = append(hosts[r.Text], r.Host)
	}
	for _, text := range slices.Sorted(maps.Keys(hosts)) {
		list = append(list, hostlist.Fold(hosts[text])+": "+text)
	}
	if len(v.Withdrawn) > 0 {
		list = append(list, "withdrawn, named during the measurement and not at its end: "+suspects(v.Withdrawn))
	}
	return list
}

func headline(v pairs.Verdict) string {
	absent := len(v.Missing) + len(v.Untried)
	n := len(v.Good) + len(v.Bad) + absent
	s := fmt.Sprintf("%d of %d hosts are good", len(v.Good), n)
	switch {
	case len(v.Findings) == 0 && absent == 0 && !v.Conclusive():
		var why []string
		if v.Noisy() {
			why = append(why, "too noisy to tell")
		}
		if len(v.Unjudged) > 0 {
			why = append(why, "not fully judged")
		}
		s = fmt.Sprintf("%s: none of %d hosts is named", strings.Join(why, ", "), n)
	case len(v.Findings) == 0 && absent == 0:
		s = fmt.Sprintf("all %d hosts are good", n)
	case len(v.Bad) > 0:
		s += fmt.Sprintf(", %d bad: %s", len(v.Bad), hostlist.Fold(v.Bad))
	}
	if len(v.Missing) > 0 {
		s += fmt.Sprintf("; %d without a measurement: %s", len(v.Missing), hostlist.Fold(v.Missing))
	}
	if len(v.Untried) > 0 {
		s += fmt.Sprintf("; %d not tried: %s", len(v.Untried), hostlist.Fold(v.Untried))
	}
	if !v.Complete {
		s += " (so far: interrupted)"
	}
	return s
}

func trust(v pairs.Verdict) string {
	s := fmt.Sprintf("%d pairs in %d rounds", v.Pairs, v.Rounds)
	if v.Failed > 0 {
		s += fmt.Sprintf(", %d without a result", v.Failed)
	}
	if v.Usual.HalfRTT > 0 {
		of := "half round trip"
		if v.Contended {
			of = "fastest half round trip"
		}
		s += fmt.Sprintf("; a usual pair: %s %s", of, Time(v.Usual.HalfRTT))
	}
	if v.Usual.Rate > 0 {
		s += fmt.Sprintf(", %s each way", Rate(v.Usual.Rate))
	}
	if v.Usual.Both > 0 {
		s += fmt.Sprintf(", %s both ways", Rate(v.Usual.Both))
	}
	for _, of := range slices.Sorted(maps.Keys(v.Detectable)) {
		s += fmt.Sprintf("; %s: a host that is %.3g times worse shows", of, v.Detectable[of])
	}
	return s
}

// Name returns the name of what a finding is about.
func Name(f pairs.Finding) string {
	switch f.Scope {
	case pairs.OfPair:
		return "path " + strings.Join(f.Hosts, " - ")
	case pairs.OfGroup:
		if f.Location != "" {
			return fmt.Sprintf("switch %s (%s)", f.Location, hostlist.Fold(f.Hosts))
		}
		return "group " + hostlist.Fold(f.Hosts)
	}
	return f.Hosts[0]
}

func title(f pairs.Finding) string {
	s := fmt.Sprintf("%s: %s", Name(f), f.Kind)
	if f.Factor != nil {
		s += fmt.Sprintf(", %s %s worse than good pairs", f.Factor.Of, *f.Factor)
	}
	if f.Partners > 0 && f.Scope == pairs.OfHost {
		s += fmt.Sprintf(", with %d of %d partners", f.Slow, f.Partners)
	}
	if f.Status != pairs.Confirmed {
		s += ", " + string(f.Status)
	}
	return s
}

func about(f pairs.Finding) (list []string) {
	list = collect.Each(f.Others, func(o pairs.Factor) string { return fmt.Sprintf("also %s: %s", o.Of, o) })
	list = append(list, f.Evidence...)
	if f.Advice != "" {
		list = append(list, "do: "+f.Advice)
	}
	return list
}

// Time formats seconds.
func Time(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g s", s)
}

// Rate formats bytes per second.
func Rate(r float64) string {
	switch {
	case r < 1e6:
		return fmt.Sprintf("%.3g kB/s", r/1e3)
	case r < 1e9:
		return fmt.Sprintf("%.3g MB/s", r/1e6)
	}
	return fmt.Sprintf("%.3g GB/s", r/1e9)
}

// Err returns the error that gives the exit code of a verdict, nil if all hosts are good. ctx is
// the context of the measurement.
func Err(ctx context.Context, r *pairs.Result) error {
	switch {
	case slices.ContainsFunc(r.Findings, func(f pairs.Finding) bool { return f.Kind == pairs.WrongData }):
		return &exit.ReportedError{Code: exit.Data, Err: errors.New("data arrived wrong")}
	case len(r.Findings)+len(r.Changes) > 0:
		return &exit.ReportedError{Code: exit.Regression, Err: errors.New("some hosts are not like the others")}
	case r.Interrupted:
		return &exit.ReportedError{Code: exit.Failed, Err: context.Cause(ctx)}
	case !r.Conclusive():
		return &exit.ReportedError{Code: exit.Noisy, Err: errors.New("the hosts cannot be told apart")}
	}
	return nil
}
