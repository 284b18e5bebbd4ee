package pairwise

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/launch/hostlist"
	"gobench/internal/report/document"
	"gobench/internal/report/export"
	"gobench/nearest"
	"gobench/pairs"
)

// Kinds of files that a verdict can be written as.
const (
	Good        = "good"        // names of good hosts, one a line
	Bad         = "bad"         // names of bad hosts and of those that were tried without a result
	Slurm       = "slurm"       // commands that drain these hosts, to be read before they are run
	NHC         = "nhc"         // a line of the node health check of LBNL for each bad host
	JUnit       = "junit"       // a test case for each host
	OpenMetrics = "openmetrics" // for the textfile collector of node_exporter
	FigureKind  = "figure"      // the matrices of times, as the name ends: .svg, .png or .pdf
	HTML        = "html"        // a page with the verdict and the matrices
	CSV         = "csv"         // a row for each measured pair
)

// Kinds lists the kinds of files.
var Kinds = []string{Good, Bad, Slurm, NHC, JUnit, OpenMetrics, CSV, HTML, FigureKind}

// An Export is a file that a verdict is written to.
type Export struct{ Kind, File string }

// ParseExports reads exports of the form KIND:FILE.
func ParseExports(typed []string) (list []Export, err error) {
	for _, t := range typed {
		kind, file, _ := strings.Cut(t, ":")
		switch {
		case !slices.Contains(Kinds, kind):
			return nil, &nearest.UnknownError{What: "kind of file", Name: kind, Known: Kinds}
		case file == "":
			return nil, fmt.Errorf("%q names no file: want KIND:FILE, such as bad:bad.txt", t)
		case kind == FigureKind && !slices.Contains(formats, filepath.Ext(file)):
			return nil, fmt.Errorf("%q is no figure: want a name that ends in %s", file, strings.Join(formats, ", "))
		}
		list = append(list, Export{kind, file})
	}
	return list, nil
}

// formats lists the ends of names of figures.
var formats = []string{".svg", ".png", ".pdf"}

// Save writes the files, each of which it replaces as a whole, because monitors read them at any
// time. now is the time of the measurement.
func Save(r *pairs.Result, exports []Export, now time.Time) error {
	for _, e := range exports {
		write := func(w io.Writer) error { return Write(w, e.Kind, r, now) }
		if e.Kind == FigureKind {
			drawn := Figure(r)
			if drawn == nil {
				continue
			}
			write = func(w io.Writer) error { return drawn.Write(w, strings.TrimPrefix(filepath.Ext(e.File), ".")) }
		}
		if err := document.Create(e.File, write); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a result as a kind of file other than a figure. now is the time of the measurement.
func Write(w io.Writer, kind string, r *pairs.Result, now time.Time) error {
	v := r.Verdict
	switch kind {
	case Good:
		return writeLines(w, v.Good)
	case Bad:
		return writeLines(w, slices.Concat(v.Bad, v.Missing))
	case Slurm:
		return writeReasons(w, v, func(hosts []string, reason string) string {
			return fmt.Sprintf("scontrol update NodeName=%s State=DRAIN Reason=%s", quoted(hostlist.Fold(hosts)), quoted("gobench: "+reason))
		})
	case NHC:
		return writeReasons(w, v, func(hosts []string, reason string) string {
			check := " || die 1 " + quoted("gobench pairs: "+reason)
			return strings.Join(hosts, check+"\n") + check
		})
	case JUnit:
		return writeJUnit(w, v)
	case OpenMetrics:
		return writeMetrics(w, v, now)
	case CSV:
		return writeCSV(w, r.Samples)
	case HTML:
		return writePage(w, r)
	}
	return fmt.Errorf("there is no kind %q of files", kind)
}

func writeLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(append(slices.Clone(lines), ""), "\n"))
	return err
}

// quoted returns a word of a shell that stands for s.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "") + "'" }

// Reasons returns for each bad host why it is bad, in one line. Other hosts of findings may have a
// reason, too.
func Reasons(v pairs.Verdict) map[string]string {
	reasons := map[string]string{}
	for _, f := range v.Findings {
		if f.Scope == pairs.OfPair && f.Kind != pairs.WrongData || f.Status != pairs.Confirmed {
			continue
		}
		reason := string(f.Kind)
		if f.Factor != nil {
			reason += fmt.Sprintf(", %s %.3g times worse", f.Factor.Of, f.Factor.Median)
		} else if len(f.Evidence) > 0 {
			reason += ", " + f.Evidence[0]
		}
		for _, h := range f.Hosts {
			one := reason
			if reasons[h] != "" {
				one = reasons[h] + "; " + reason
			}
			reasons[h] = one
		}
	}
	return reasons
}

// writeReasons writes what line returns for each reason and the hosts that have it.
func writeReasons(w io.Writer, v pairs.Verdict, line func(hosts []string, reason string) string) error {
	reasons := Reasons(v)
	reason := func(host string) string { return cmp.Or(reasons[host], noResult) }
	alike := collect.By(slices.Concat(v.Bad, v.Missing), reason)
	list := collect.Each(alike, func(hosts []string) string {
		return line(collect.Each(hosts, withoutUser), reason(hosts[0]))
	})
	if len(v.Untried) > 0 {
		list = append(list, "# not tried: "+hostlist.Fold(collect.Each(v.Untried, withoutUser)))
	}
	return writeLines(w, list)
}

// withoutUser returns the name of a host as schedulers know it: without user@, which is for ssh.
func withoutUser(host string) string { return host[strings.LastIndexByte(host, '@')+1:] }

// What is said of a host without a finding: of Verdict.Missing, and of Verdict.Untried.
const (
	noResult = "it could not be measured"
	notTried = "not tried: the measurement ended before its turn, or its partners were lost"
)

func writeJUnit(w io.Writer, v pairs.Verdict) error {
	s := export.Suite{Name: "gobench pairs"}
	reasons := Reasons(v)
	unjudged := unjudged(v)
	for _, h := range v.Good {
		c := export.Case{Class: "host", Name: h}
		if why := unjudged[h]; why != nil {
			c.Skipped = &export.Message{Text: strings.Join(why, "; ")}
		}
		s.Add(c)
	}
	for _, h := range v.Bad {
		s.Add(export.Case{Class: "host", Name: h, Failure: &export.Message{Text: reasons[h]}})
	}
	for _, h := range v.Missing {
		s.Add(export.Case{Class: "host", Name: h, Error: &export.Message{Text: cmp.Or(reasons[h], noResult)}})
	}
	for _, h := range v.Untried {
		s.Add(export.Case{Class: "host", Name: h, Skipped: &export.Message{Text: notTried}})
	}
	for _, f := range v.Findings {
		if f.Scope == pairs.OfPair {
			s.Add(export.Case{Class: "path", Name: strings.Join(f.Hosts, " - "), Failure: &export.Message{Text: title(f)}})
		}
	}
	return export.WriteXML(w, s)
}

// unjudged returns for each host that a limit cannot be judged on why.
func unjudged(v pairs.Verdict) map[string][]string {
	why := map[string][]string{}
	for _, r := range v.Unjudged {
		why[r.Host] = append(why[r.Host], r.Text)
	}
	return why
}

func writeMetrics(w io.Writer, v pairs.Verdict, now time.Time) error {
	var b strings.Builder
	b.WriteString("# TYPE gobench_pairs_host_bad gauge\n# HELP gobench_pairs_host_bad 1 if the host is bad, 0 if it is good.\n")
	unjudged := unjudged(v)
	for value, hosts := range [][]string{v.Good, v.Bad} {
		for _, h := range hosts {
			if value == 1 || unjudged[h] == nil {
				fmt.Fprintf(&b, "gobench_pairs_host_bad{host=\"%s\"} %d\n", export.Escaped(h), value)
			}
		}
	}
	b.WriteString("# TYPE gobench_pairs_host_not_judged gauge\n# HELP gobench_pairs_host_not_judged Number of reasons for which the host is not fully judged.\n")
	for _, h := range slices.Sorted(maps.Keys(unjudged)) {
		fmt.Fprintf(&b, "gobench_pairs_host_not_judged{host=\"%s\"} %d\n", export.Escaped(h), len(unjudged[h]))
	}
	for _, m := range []struct {
		name, help string
		hosts      []string
	}{
		{"missing", "1 if the host could not be measured.", v.Missing},
		{"untried", "1 if the host had no turn: nothing is known of it.", v.Untried},
	} {
		fmt.Fprintf(&b, "# TYPE gobench_pairs_host_%[1]s gauge\n# HELP gobench_pairs_host_%[1]s %[2]s\n", m.name, m.help)
		for _, h := range m.hosts {
			fmt.Fprintf(&b, "gobench_pairs_host_%s{host=\"%s\"} 1\n", m.name, export.Escaped(h))
		}
	}
	b.WriteString("# TYPE gobench_pairs_factor gauge\n# HELP gobench_pairs_factor How many times worse than good pairs.\n")
	for _, f := range v.Findings {
		if f.Factor != nil {
			fmt.Fprintf(&b, "gobench_pairs_factor{scope=\"%s\",hosts=\"%s\",kind=\"%s\"} %s\n", f.Scope, export.Escaped(strings.Join(f.Hosts, " ")), export.Escaped(string(f.Kind)), strconv.FormatFloat(f.Factor.Median, 'g', -1, 64))
		}
	}
	for _, m := range []struct {
		name, help string
		value      float64
	}{
		{"gobench_pairs_half_rtt_seconds", "Half round trip of 8 bytes between usual hosts.", v.Usual.HalfRTT},
		{"gobench_pairs_bandwidth_bytes_per_second", "Bandwidth in one direction between usual hosts.", v.Usual.Rate},
		{"gobench_pairs_last_run_timestamp_seconds", "Time of the measurement.", float64(now.Unix())},
	} {
		if m.value > 0 {
			fmt.Fprintf(&b, "# TYPE %[1]s gauge\n# HELP %[1]s %[2]s\n%[1]s %[3]s\n", m.name, m.help, strconv.FormatFloat(m.value, 'g', -1, 64))
		}
	}
	b.WriteString("# EOF\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeCSV(w io.Writer, samples []pairs.Sample) error {
	c := csv.NewWriter(w)
	c.Write([]string{"a", "b", "stage", "round", "half_rtt_s", "half_rtt_p99_s", "half_rtt_max_s", "round_trips", "forth_Bps", "back_Bps", "both_Bps",
		"resent_small_a", "resent_small_b", "resent_large_a", "resent_large_b", "counters", "failed"})
	number := func(v float64) string {
		if v == 0 {
			return "" // not measured
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, s := range samples {
		var changed []string
		for _, host := range []string{s.A, s.B} {
			for _, name := range slices.Sorted(maps.Keys(s.Changed[host])) {
				changed = append(changed, fmt.Sprintf("%s: %s +%d", host, name, s.Changed[host][name]))
			}
		}
		c.Write([]string{s.A, s.B, string(s.Stage), fmt.Sprint(s.Round), number(s.HalfRTT.Median), number(s.HalfRTT.P99), number(s.HalfRTT.Max), fmt.Sprint(s.HalfRTT.N),
			number(s.Forth), number(s.Back), number(s.Both), fmt.Sprint(s.Resent[0]), fmt.Sprint(s.Resent[1]), fmt.Sprint(s.Resent2[0]), fmt.Sprint(s.Resent2[1]),
			strings.Join(changed, "; "), s.Failed})
	}
	c.Flush()
	return c.Error()
}
