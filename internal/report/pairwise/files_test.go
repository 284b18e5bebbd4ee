package pairwise

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"gobench/internal/exit"
	"gobench/internal/report/export"
	"gobench/internal/report/figure"
	"gobench/pairs"
)

// verdict has a bad host, a bad path, and a host without a measurement.
var verdict = pairs.Verdict{
	Complete: true, Good: []string{"h1", "h2"}, Bad: []string{"h3"}, Missing: []string{"h4"}, Rounds: 8, Pairs: 20, Failed: 2,
	Usual: pairs.Usual{HalfRTT: 2e-6, Rate: 1e10, Both: 1.8e10},
	Findings: []pairs.Finding{
		{Scope: pairs.OfHost, Hosts: []string{"h3"}, Kind: pairs.SlowSend, Status: pairs.Confirmed, Factor: &pairs.Factor{Of: "bandwidth sending", Median: 2.5, Lo: 2, Hi: 3, N: 9},
			Partners: 7, Slow: 6, Evidence: []string{"h3: eth0 rx_crc_errors +12"}, Advice: "change the cable"},
		{Scope: pairs.OfPair, Hosts: []string{"h1", "h2"}, Kind: pairs.Delay, Status: pairs.UnderLoad, Factor: &pairs.Factor{Of: "half round trip", Median: 1.75, Lo: 1.5, Hi: 2}},
	},
	Suspects: []pairs.Finding{{Scope: pairs.OfHost, Hosts: []string{"h2"}, Kind: pairs.Jitter, Status: pairs.Unconfirmed}},
}

var samples = []pairs.Sample{
	{A: "h1", B: "h2", Stage: pairs.Survey, HalfRTT: pairs.Times{Median: 2e-6, N: 100}, Forth: 1e10, Back: 9e9, Both: 1.5e10},
	{A: "h1", B: "h3", Stage: pairs.Survey, Round: 1, HalfRTT: pairs.Times{Median: 3e-6, N: 100}, Forth: 1e10, Back: 4e9, Both: 1e10,
		Changed: pairs.Changes{"h3": {"eth0 rx_crc_errors": 12}}},
	{A: "h2", B: "h4", Stage: pairs.Survey, Failed: `no answer, "none"`},
}

// result has them all.
var result = &pairs.Result{Verdict: verdict, Samples: samples, Hosts: []pairs.Host{{Name: "h1"}, {Name: "h2"}, {Name: "h3"}, {Name: "h4"}}}

func TestFiles(t *testing.T) {
	for kind, want := range map[string]string{
		Good:  "h1\nh2\n",
		Bad:   "h3\nh4\n",
		Slurm: "scontrol update NodeName='h3' State=DRAIN Reason='gobench: low bandwidth sending, bandwidth sending 2.5 times worse'\nscontrol update NodeName='h4' State=DRAIN Reason='gobench: it could not be measured'\n",
		NHC:   "h3 || die 1 'gobench pairs: low bandwidth sending, bandwidth sending 2.5 times worse'\nh4 || die 1 'gobench pairs: it could not be measured'\n",
	} {
		var b bytes.Buffer
		if err := Write(&b, kind, result, time.Unix(1, 0)); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%s, want\n%s", kind, err, b.String(), want)
		}
	}
	many := *result
	many.Verdict.Missing = []string{"h4", "h5", "h7"}
	for kind, want := range map[string]string{Slurm: "NodeName='h[4-5,7]' State=DRAIN Reason='gobench: it", NHC: "\nh5 || die 1 'gobench pairs: it"} {
		var b strings.Builder
		if err := Write(&b, kind, &many, time.Time{}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v\n%s", kind, err, b.String())
		}
	}
	wrong := &pairs.Result{Verdict: pairs.Verdict{Bad: []string{"h1", "h2"}, Findings: []pairs.Finding{
		{Scope: pairs.OfPair, Hosts: []string{"h1", "h2"}, Kind: pairs.WrongData, Status: pairs.Confirmed, Evidence: []string{"byte 7"}}}}}
	if b := new(strings.Builder); Write(b, Slurm, wrong, time.Time{}) != nil || !strings.Contains(b.String(), "'h[1-2]' State=DRAIN Reason='gobench: wrong data, byte 7'") {
		t.Errorf("wrong data: %s", b)
	}
	pair := func(a, b, of string) pairs.Finding {
		return pairs.Finding{Scope: pairs.OfPair, Hosts: []string{a, b}, Kind: pairs.WrongData, Status: pairs.Confirmed, Evidence: []string{of}}
	}
	reasons := Reasons(pairs.Verdict{Findings: []pairs.Finding{pair("h1", "h2", "A"), pair("h1", "h3", "B"), pair("h2", "h3", "C")}})
	if want := map[string]string{"h1": "wrong data, A; wrong data, B", "h2": "wrong data, A; wrong data, C", "h3": "wrong data, B; wrong data, C"}; !maps.Equal(reasons, want) {
		t.Errorf("reasons %q, want %q", reasons, want)
	}
	if err := Write(&bytes.Buffer{}, "none", result, time.Time{}); err == nil {
		t.Error("an unknown kind is written")
	}
}

// Hosts that were not tried are in no list of bad ones, and schedulers do not get the users of ssh.
func TestFilesOfAnInterruptedMeasurement(t *testing.T) {
	left := &pairs.Result{Verdict: pairs.Verdict{Good: []string{"root@h1"}, Missing: []string{"root@h2", "root@h3"}, Untried: []string{"root@h4", "root@h5"}}}
	for kind, want := range map[string]string{
		Good:        "root@h1\n",
		Bad:         "root@h2\nroot@h3\n",
		Slurm:       "scontrol update NodeName='h[2-3]' State=DRAIN Reason='gobench: it could not be measured'\n# not tried: h[4-5]\n",
		NHC:         "h2 || die 1 'gobench pairs: it could not be measured'\nh3 || die 1 'gobench pairs: it could not be measured'\n# not tried: h[4-5]\n",
		JUnit:       `errors="2" skipped="2"`,
		OpenMetrics: "gobench_pairs_host_missing{host=\"root@h3\"} 1\n# TYPE gobench_pairs_host_untried gauge\n# HELP gobench_pairs_host_untried 1 if the host had no turn: nothing is known of it.\ngobench_pairs_host_untried{host=\"root@h4\"} 1\n",
		HTML:        "2 not tried: root@h[4-5]",
	} {
		var b strings.Builder
		err := Write(&b, kind, left, time.Unix(1, 0))
		whole := kind == Good || kind == Bad || kind == Slurm || kind == NHC
		if err != nil || !strings.Contains(b.String(), want) || whole && b.String() != want {
			t.Errorf("%s: %v\n%s, want\n%s", kind, err, b.String(), want)
		}
	}
	left.Missing = nil
	if got := headline(left.Verdict); got != "1 of 3 hosts are good; 2 not tried: root@h[4-5] (so far: interrupted)" {
		t.Errorf("headline: %s", got)
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, JUnit, result, time.Time{}); err != nil {
		t.Fatal(err)
	}
	var s export.Suite
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Tests != 5 || s.Failures != 2 || s.Errors != 1 || len(s.Cases) != 5 || s.Cases[2].Name != "h3" || s.Cases[2].Failure == nil || s.Cases[4].Name != "h1 - h2" {
		t.Errorf("%+v", s)
	}
}

func TestOpenMetrics(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, OpenMetrics, result, time.Unix(1700000000, 0)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gobench_pairs_host_bad{host=\"h1\"} 0\n", "gobench_pairs_host_bad{host=\"h3\"} 1\n", "gobench_pairs_host_missing{host=\"h4\"} 1\n",
		"gobench_pairs_factor{scope=\"host\",hosts=\"h3\",kind=\"low bandwidth sending\"} 2.5\n", "\ngobench_pairs_last_run_timestamp_seconds 1.7e+09\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if !strings.HasSuffix(b.String(), "# EOF\n") {
		t.Errorf("the end is missing:\n%s", b.String())
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, CSV, result, time.Time{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	if rows[2][4] != "3e-06" || rows[2][15] != "h3: eth0 rx_crc_errors +12" || rows[3][4] != "" || rows[3][16] != `no answer, "none"` {
		t.Errorf("rows %q", rows)
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, HTML, &pairs.Result{Verdict: verdict, Samples: samples, Hosts: result.Hosts, Remarks: []pairs.Remark{{Host: "h2", Text: "cores: 8"}}}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 4 hosts are good, 1 bad: h3", "low bandwidth sending", "bandwidth sending 2.5 times (2 to 3)", "change the cable", "cores: 8", "not confirmed", "<svg"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

func TestPrint(t *testing.T) {
	const want = `2 of 4 hosts are good, 1 bad: h3; 1 without a measurement: h4
20 pairs in 8 rounds, 2 without a result; a usual pair: half round trip 2 us, 10 GB/s each way, 18 GB/s both ways

h3: low bandwidth sending, bandwidth sending 2.5 times (2 to 3) worse than good pairs, with 6 of 7 partners
  h3: eth0 rx_crc_errors +12
  do: change the cable

path h1 - h2: delay, half round trip 1.75 times (1.5 to 2) worse than good pairs, only under load

not confirmed: h2 (jitter)
`
	var b bytes.Buffer
	if err := Print(&b, result, 0); err != nil || b.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, b.String(), want)
	}
	b.Reset()
	noisy := &pairs.Result{Verdict: pairs.Verdict{Complete: true, Good: []string{"h1", "h2"}, Detectable: map[string]float64{"bandwidth": 3},
		Suspects: []pairs.Finding{{Scope: pairs.OfHost, Hosts: []string{"h2"}, Kind: pairs.NoConnection, Evidence: []string{"refused"}}}}}
	const unsure = "too noisy to tell: none of 2 hosts is named\n0 pairs in 0 rounds; bandwidth: a host that is 3 times worse shows\n\nnot confirmed: h2 (no connection)\n  refused\n"
	if err := Print(&b, noisy, 0); err != nil || b.String() != unsure {
		t.Errorf("%v\n%s, want\n%s", err, b.String(), unsure)
	}
	b.Reset()
	unjudged := &pairs.Result{Verdict: pairs.Verdict{Complete: true, Good: []string{"h1", "h2"}, Unjudged: []pairs.Remark{{Host: "h1", Text: "no bound"}, {Host: "h2", Text: "no bound"}}, Withdrawn: verdict.Suspects}}
	const open = "not fully judged: none of 2 hosts is named\n0 pairs in 0 rounds\nh[1-2]: no bound\nwithdrawn, named during the measurement and not at its end: h2 (jitter)\n"
	if err := Print(&b, unjudged, 0); err != nil || b.String() != open {
		t.Errorf("%v\n%s, want\n%s", err, b.String(), open)
	}
	for kind, want := range map[string]string{JUnit: `<skipped message="no bound">`, OpenMetrics: "gobench_pairs_host_not_judged{host=\"h2\"} 1\n", HTML: "no bound"} {
		b.Reset()
		if err := Write(&b, kind, unjudged, time.Time{}); err != nil || !strings.Contains(b.String(), want) || strings.Contains(b.String(), "} 0") {
			t.Errorf("%s of hosts that are not judged: %v\n%s", kind, err, b.String())
		}
	}
	noise := unjudged.Verdict
	noise.Contended = true
	if got := Remarks(noise)[0]; !strings.Contains(got, "other programs, or quotas of CPU time,") {
		t.Errorf("remark in noise: %s", got)
	}
	if got := headline(noise); got != "too noisy to tell, not fully judged: none of 2 hosts is named" {
		t.Errorf("headline in noise: %s", got)
	}
	if err := (*exit.ReportedError)(nil); !errors.As(Err(t.Context(), unjudged), &err) || err.Code != exit.Noisy {
		t.Errorf("a limit that cannot be judged: %v", err)
	}
	b.Reset()
	if err := Print(&b, result, 60); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 61 {
			t.Errorf("a line of %d columns: %s", len(line)-1, line)
		}
	}
}

func TestPrintProbe(t *testing.T) {
	var b bytes.Buffer
	facts := []pairs.Facts{{Host: "h1", Words: map[string]string{"kernel": "6.1", "cores": "4"}}, {Host: "h2", Words: map[string]string{"kernel": "6.1", "cores": "8"}}}
	reach := []pairs.Reach{{From: "h1", To: "h2", MTU: 1500, Long: true}, {From: "h2", To: "h1", Failed: "refused"}}
	if err := PrintProbe(&b, &pairs.Result{Verdict: verdict, Facts: facts, Remarks: []pairs.Remark{{Host: "h2", Text: "cores: 8"}}, Reach: reach}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 of 2 connections between hosts work, 1 also with long packets; MTU of the paths: 1500\n", "on all hosts: kernel 6.1\n", "h2 differs: cores: 8\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestFigure(t *testing.T) {
	f := Figure(result)
	if f == nil || len(f.Rows) != 1 || len(f.Rows[0]) != 2 {
		t.Fatalf("figure %+v", f)
	}
	heat, ok := f.Rows[0][1].Layers[0].(figure.Heat)
	if !ok || math.Round(heat.Values[2][0]) != 262 || !math.IsNaN(heat.Values[3][0]) || heat.Texts[2][0] != "from h3 to h1: 262 µs a MiB, 1 measurements" {
		t.Errorf("large messages: %+v", heat)
	}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil || !strings.Contains(b.String(), ">h3</text>") {
		t.Errorf("%v\n%.3000s", err, b.String())
	}
	if Figure(&pairs.Result{Hosts: result.Hosts, Samples: samples[2:]}) != nil {
		t.Error("a figure of nothing")
	}
	hosts := result.Hosts
	for i := range 100 {
		hosts = append(hosts, pairs.Host{Name: fmt.Sprint("more", i)})
	}
	if f := Figure(&pairs.Result{Verdict: verdict, Hosts: hosts, Samples: samples}); !strings.HasSuffix(f.Caption, " 40 more hosts are not drawn.") {
		t.Errorf("caption %q", f.Caption)
	}
}
