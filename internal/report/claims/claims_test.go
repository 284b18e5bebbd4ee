package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure/figuretest"
	"gobench/nearest"
	"gobench/record"
)

// made collects made-up records.
type made struct {
	record.File
	launches int
}

// example returns values of the factors that a side selects.
func example(wanted string) string {
	switch {
	case strings.HasPrefix(wanted, "!"):
		return map[string]string{"!gobench": "NPB 3.4", "!ibv": "tcp"}[wanted]
	case wanted == "none":
		return ""
	case strings.HasSuffix(wanted, "+"):
		return strings.TrimSuffix(wanted, "+")
	}
	first, _, _ := strings.Cut(wanted, "|")
	return first
}

// add adds the launches of a side at a position. The launches take the values in turn.
func (m *made) add(t *testing.T, s side, metric string, x float64, path string, values ...float64) {
	t.Helper()
	for launch := range m.launches {
		id := fmt.Sprintf("%s/%v/%d", s, x, launch)
		p := record.Point{
			Run: id, Time: figuretest.Begin.Add(time.Duration(len(m.Points)) * time.Second), Launch: launch + 1,
			Transport: "smem", Level: "comm", Ranks: 2, RankKind: "process", Iterations: 100, Path: path,
		}
		label, hosts := "", 1
		for name, wanted := range s.factors {
			switch value := example(wanted); name {
			case "bench":
				p.Bench = value
			case "transport":
				p.Transport = value
			case "level":
				p.Level = value
			case "rank_kind":
				p.RankKind = value
			case "library":
				p.Library = strings.TrimPrefix(value, "gobench")
			case "placement":
				p.Placement = value
			case "algorithm":
				p.Algorithm = value
			case "label":
				label = value
			case "hosts":
				hosts, _ = strconv.Atoi(value)
			case "ranks":
				p.Ranks, _ = strconv.Atoi(value)
			case "threads":
				p.Threads, _ = strconv.Atoi(value)
			default:
				t.Fatalf("the side %q has a factor that records cannot be made up of: %s", s, name)
			}
		}
		if of, _ := axis(metric); of(cell.Point{Point: &p}) == float64(p.Size) {
			p.Size = int64(x)
		} else {
			p.Ranks = int(x) / max(1, p.Threads)
		}
		p.Metrics = record.ValuesOf(map[string]record.Value{metric: {Median: values[launch%len(values)] * (1 + 0.001*float64(launch%3)), N: 100}})
		run := figuretest.Run(id, "n1", p.Ranks)
		run.Label = label
		for rank := range p.Ranks {
			run.Job.Hosts = append(run.Job.Hosts, rank%hosts)
		}
		m.Runs, m.Points = append(m.Runs, run), append(m.Points, p)
	}
}

// number returns a number within the bounds, or outside of them.
func (b bounds) number(holds bool) float64 {
	switch {
	case holds && b.max == 0:
		return 1.5 * b.min
	case holds && b.min == 0:
		return b.max / 1.5
	case holds:
		return math.Sqrt(b.min * b.max)
	case b.max == 0:
		return b.min / 1.5
	}
	return 1.5 * b.max
}

// records returns made-up records with which a claim holds or fails. They follow from its test.
func records(t *testing.T, of test, holds bool, launches int) *record.File {
	m := &made{launches: launches}
	switch of := of.(type) {
	case ratio:
		base := 1e-6
		if m, _ := record.Lookup(of.metric); m.Direction == record.Higher {
			base = 1e9
		}
		positions := []float64{max(of.from, 4), 2 * max(of.from, 4)}
		if of.to > 0 {
			positions = []float64{max(of.from, min(4, of.to))}
		}
		for i, x := range positions {
			v := of.number(holds)
			switch {
			case of.b == of.a: // at other positions
				m.add(t, of.a, of.metric, of.from/float64(i+2), "", base)
				v *= base
			case of.b != "":
				m.add(t, of.b, of.metric, x, "", base)
				v *= base
			}
			if i > 0 && !holds && of.how == everywhere {
				v = of.number(true) // one that fails is enough
				if of.b != "" {
					v *= base
				}
			}
			m.add(t, of.a, of.metric, x, "", v)
		}
	case crossing:
		middle := math.Sqrt(of.min * of.max)
		for x := middle / 8; x <= 8*middle; x *= 2 {
			factor := 1.5
			if x >= middle || !holds && x > middle/8 {
				factor = 1 / factor
			}
			if better(of.metric, 2, 1) {
				factor = 1 / factor
			}
			m.add(t, of.b, of.metric, x, "", 1)
			m.add(t, of.a, of.metric, x, "", factor)
		}
	case scaling:
		efficiency, n := of.number(holds), max(4, of.cores)
		if of.b != "" {
			m.add(t, of.b, of.metric, 1, "", 100)
			m.add(t, of.b, of.metric, n, "", 100*n*0.5)
			efficiency *= 0.5
		}
		m.add(t, of.a, of.metric, 1, "", 1000)
		m.add(t, of.a, of.metric, n, "", 1000*n*efficiency)
	case dip:
		m.add(t, of.a, "bandwidth_Bps", 64*kib, "eager", 1e9)
		m.add(t, of.a, "bandwidth_Bps", 128*kib, "rndv-put-none", 1e9*of.number(holds))
	case variation:
		m.add(t, of.a, of.metric, 4, "", 1000, 1000, 1000, map[bool]float64{true: 1000 * (1 + of.max/2), false: 1000 * (1 + 2*of.max)}[holds])
	default:
		t.Fatalf("there are no made-up records for a test of kind %T", of)
	}
	return &m.File
}

// Each claim holds with some records and fails with others, is not measured without records, and
// one launch of each decides nothing.
func TestClaims(t *testing.T) {
	for _, c := range table {
		judge := func(f *record.File) Result {
			s := cell.NewSet()
			if f != nil {
				s.Add("x.jsonl", f)
			}
			return Judge(s, []Claim{c})[0]
		}
		name := c.Works + ", " + c.Where + ": " + c.Text
		for _, holds := range []bool{true, false} {
			r := judge(records(t, c.test, holds, 8))
			if want := map[bool]Verdict{true: Holds, false: Fails}[holds]; r.Verdict != want || r.Number == "" {
				t.Errorf("%s: %s (%s; %s), want %s of %s", name, r.Verdict, r.Number, r.Why, want, r.Want())
			}
			if r := judge(records(t, c.test, holds, 1)); r.Verdict == Holds || r.Verdict == Fails || r.Why == "" {
				t.Errorf("%s: %s with one launch of each", name, r.Verdict)
			}
		}
		if r := judge(nil); r.Verdict != Missing || !strings.Contains(r.Why, "bench=") || r.Number != "" {
			t.Errorf("%s: %s (%s) without records", name, r.Verdict, r.Why)
		}
	}
}

// Launches that scatter beyond the bound decide nothing.
func TestWideIntervalsDecideNothing(t *testing.T) {
	m := &made{launches: 8}
	m.add(t, processes, bandwidth, 4096, "", 1e9)
	m.add(t, threads, bandwidth, 4096, "", 0.7e9, 0.9e9, 1.1e9, 1.3e9)
	s := cell.NewSet()
	s.Add("x.jsonl", &m.File)
	at := slices.IndexFunc(table, func(c Claim) bool { return strings.HasPrefix(c.Text, "messages above 2 KB") })
	if r := Judge(s, table[at:at+1])[0]; r.Verdict != Unclear || r.Why == "" || r.Number == "" {
		t.Errorf("%+v, want inconclusive", r)
	}
}

// Threads of one machine are not compared with processes of another one. Imported logs, which do
// not name the machine, are compared.
func TestMachines(t *testing.T) {
	at := slices.IndexFunc(table, func(c Claim) bool { return strings.HasPrefix(c.Text, "messages above 2 KB") })
	for machine, want := range map[string]Verdict{"n1": Holds, "n2": Missing, "": Holds} {
		m := &made{launches: 8}
		m.add(t, processes, bandwidth, 4096, "", 1e9)
		others := len(m.Runs)
		m.add(t, threads, bandwidth, 4096, "", 2e9)
		for i := range m.Runs[others:] {
			run := figuretest.Run(m.Runs[others+i].ID, machine, 2)
			if run.Job.Hosts = []int{0, 0}; machine == "" {
				run.Job.Hosts = nil
			}
			m.Runs[others+i] = run
		}
		s := cell.NewSet()
		s.Add("x.jsonl", &m.File)
		if r := Judge(s, table[at:at+1])[0]; r.Verdict != want {
			t.Errorf("threads on %q, processes on n1: %+v, want %s", machine, r, want)
		}
	}
}

func TestPublications(t *testing.T) {
	if got := Works(); !slices.Equal(got, []string{"thesis", "ibvdev", "devices", "fmpj", "jfs"}) {
		t.Errorf("publications %q", got)
	}
	if _, err := Of("tesis"); !errors.As(err, new(*nearest.UnknownError)) {
		t.Errorf("error %v", err)
	}
	if list, err := Of("thesis"); err != nil || len(list) < 25 {
		t.Errorf("%d claims of the thesis, %v", len(list), err)
	}
}
