package report

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/internal/remedy"
	"gobench/record"
)

func init() {
	remedy.Wording(func(o remedy.Option) string { return "--" + strings.TrimSuffix(o.Name+"="+o.Value, "=") })
}

// experimentOf returns the records of eight launches on two cores of a virtual machine, in which
// the metrics of points vary by a tenth.
func experimentOf(points ...record.Point) ([]record.Run, []record.Point) {
	random := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var runs []record.Run
	var all []record.Point
	for launch := range 8 {
		run := record.Run{
			ID: fmt.Sprint("launch-", launch), Series: "s", Time: begin.Add(time.Duration(launch) * time.Second), Command: []string{"gobench", "p2p"},
			Program: map[string]any{"version": "v0.9.0"},
			Hosts:   []any{map[string]any{"hostname": "vm1", "hypervisor": "kvm", "kernel": "6.1", "cpu": map[string]any{"model": "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", "cores": 2, "packages": 1}}},
			Job:     record.Job{Launcher: "local", Ranks: points[0].Ranks, Hosts: []int{0, 0}, Cores: []int{0, 1}},
		}
		if launch < 6 {
			run.Noise = []record.Noise{{Rank: 0, Core: 0, Lost: 0.52, Waited: 0.5, Detours: 3, Duration: 0.02}}
			run.Warnings = []string{"rank 0 on core 0 lost 52 % of its time in the probe before the run, most of it to other programs on this machine: end them, or run on other cores with --pin"}
		}
		runs = append(runs, run)
		for _, p := range points {
			p.Run, p.Time, p.Duration, p.Launch = run.ID, run.Time.Add(100*time.Millisecond), 0.5, launch+1
			p.RankKind, p.Iterations = "process", 100
			p.Metrics = record.Values{}
			vary := 1 + 0.1*random.Float64()
			for key, v := range points[indexOf(points, &p)].Metrics.All() {
				if m, _ := record.Lookup(key); m.Time() {
					v.Median *= vary
				} else {
					v.Median /= vary
				}
				p.Metrics.Set(key, v)
			}
			all = append(all, p)
		}
	}
	return runs, all
}

// indexOf returns the index of the point with the factors of p.
func indexOf(points []record.Point, p *record.Point) int {
	for i := range points {
		if points[i].CellKey() == p.CellKey() {
			return i
		}
	}
	return -1
}

func pingpongOf(transport string, latency, perByte float64) (points []record.Point) {
	for _, size := range []int64{0, 1, 8, 64, 512, 1024, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20} {
		t := latency + float64(size)*perByte
		p := record.Point{Bench: "pingpong", Transport: transport, Level: "device", Size: size, Amount: size, Ranks: 2, RankKind: "process", Cores: []int{0, 1}, Path: "eager", StateDistance: 30e-9, StateShare: 1}
		p.Metrics.Set("half_rtt_s", record.Value{Median: t, N: 100, P99: 2 * t})
		if size > 0 {
			p.Metrics.Set("bandwidth_Bps", record.Value{Median: float64(size) / t, N: 100})
		}
		points = append(points, p)
	}
	return points
}

func collectivesOf(operations []string, algorithms ...string) (points []record.Point) {
	for n, op := range operations {
		for i, algorithm := range algorithms {
			for _, size := range []int64{8, 1024, 65536, 1 << 20} {
				t := (1e-6 + float64(size)*2e-10) * (1 + 0.3*float64(i) + float64(n))
				p := record.Point{Bench: op, Transport: "smem", Level: "comm", Size: size, Ranks: 4, RankKind: "process", Cores: []int{0, 1, 2, 3}, Algorithm: algorithm, Root: "0"}
				p.Metrics.Set("global_s", record.Value{Median: t, N: 100})
				p.Metrics.Set("busbw_Bps", record.Value{Median: 1.5 * float64(size) / t, N: 100})
				points = append(points, p)
			}
		}
	}
	return points
}

func kernelsOf() (points []record.Point) {
	for _, ranks := range []int{1, 2} {
		for _, bench := range []string{"cg", "is"} {
			p := record.Point{Bench: bench, Transport: "smem", Level: "comm", Ranks: ranks, RankKind: "process", Class: "A", Extra: map[string]json.RawMessage{"verified": json.RawMessage("3"), "phases_s": json.RawMessage(`{"compute": {"mean": 0.3}, "send": {"mean": 0.1}}`)}}
			p.Metrics.Set("run_s", record.Value{Median: 0.42 / float64(ranks), N: 3})
			p.Metrics.Set("mops", record.Value{Median: 800 * float64(ranks), N: 3})
			p.Metrics.Set("speedup", record.Value{Median: float64(ranks), N: 3})
			points = append(points, p)
		}
	}
	return points
}

// screens are commands by the name of their golden file.
func screens() map[string][]record.Point {
	return map[string][]record.Point{
		"p2p":   append(pingpongOf("smem", 0.12e-6, 9e-11), pingpongOf("tcp", 3e-6, 1.3e-10)...),
		"one":   pingpongOf("smem", 0.12e-6, 9e-11),
		"coll":  collectivesOf([]string{"allreduce"}, "ring", "rabenseifner", "mst"),
		"race":  slices.DeleteFunc(collectivesOf([]string{"allreduce"}, "ring", "rabenseifner", "mst"), func(p record.Point) bool { return p.Size != 65536 }),
		"colls": collectivesOf([]string{"allreduce", "bcast", "allgather"}, "ring"),
		"npb":   kernelsOf(),
	}
}

// Between hosts the first screen has the usual range and the share of what the link carries.
func TestScreenBetweenHosts(t *testing.T) {
	points := pingpongOf("tcp", 12e-6, 8.6e-11)
	for i := range points {
		points[i].Route, points[i].StateDistance, points[i].StateShare = "eth0 (10.0.0.1) to eth0 (10.0.0.2) of rank 1: same subnet, 100 Gbit/s", 0, 0
	}
	runs, all := experimentOf(points...)
	for i := range runs {
		r := &runs[i]
		for host := range 2 {
			name := fmt.Sprint("node", host+1)
			r.Hosts = append(r.Hosts[:host:host], map[string]any{"hostname": name, "cpu": map[string]any{"model": "AMD EPYC 9354 32-Core Processor", "cores": 64, "packages": 2}, "nics": []any{
				map[string]any{"name": "eth0", "rate_bit_per_s": 100e9, "mtu_B": 9000, "pcie": map[string]any{"lanes": 16, "rate_GTps": 8.0}},
			}})
		}
		r.Job.Hosts, r.Noise, r.Warnings = []int{0, 1}, nil, nil
	}
	text := firstScreenOf(runs, all, &series.Scales{}, Terminal{Width: 80, Height: 24}, View{Records: "r.jsonl"}, false)
	for _, want := range []string{"2 hosts, AMD EPYC 9354", "USUAL   tcp 10 GB/s: 4.4 to 12 for TCP over 100 Gbit/s, 85 % of 100 Gbit/s", "2 ranks, 8 launches"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestFirstScreensLookAsInTheGoldenFiles(t *testing.T) {
	for name, points := range screens() {
		runs, all := experimentOf(points...)
		for suffix, o := range map[string]Output{
			"80":       {Terminal: Terminal{Width: 80, Height: 24}},
			"40":       {Terminal: Terminal{Width: 40, Height: 24}},
			"pipe":     {},
			"warnings": {Terminal: Terminal{Width: 80, Height: 24}, View: View{Warnings: true}},
		} {
			t.Run(name+"-"+suffix, func(t *testing.T) {
				var b, said strings.Builder
				o.W, o.Remarks, o.Form, o.View.Records = &b, &said, Text, "r.jsonl"
				if err := o.Text(runs, all); err != nil {
					t.Fatal(err)
				}
				got := b.String()
				if said.Len() > 0 {
					got += "--- standard error\n" + said.String()
				}
				golden(t, "screen-"+name+"-"+suffix, got)
			})
		}
	}
}

// A first screen and the prompt behind it fit on a terminal of 24 lines, and no line is wider than
// it.
func TestFirstScreenFits(t *testing.T) {
	for name, points := range screens() {
		runs, all := experimentOf(points...)
		for _, term := range []Terminal{{Width: 80, Height: 24}, {Width: 80}, {Width: 100, Height: 50}, {Width: 40, Height: 40}} {
			text := firstScreenOf(runs, all, &series.Scales{}, term, View{Records: "results/vm1-2026-11-21.jsonl"}, false)
			height := term.Height
			if height == 0 {
				height = 24
			}
			if n := strings.Count(text, "\n"); n >= height {
				t.Errorf("%s: %d lines on a terminal of %d:\n%s", name, n, height, text)
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > term.Width {
					t.Errorf("%s: %d characters on a terminal of %d: %s", name, n, term.Width, line)
				}
			}
		}
	}
}

// The headline keeps its four columns on a terminal of 80 columns, however many states of the cores
// the launches met and however wide the intervals are.
func TestHeadlineKeepsItsColumns(t *testing.T) {
	var runs []record.Run
	var all []record.Point
	random := rand.New(rand.NewPCG(3, 4))
	for n, state := range []string{"near", "middle slow", "far slow"} {
		more, points := experimentOf(append(pingpongOf("smem", 0.13e-6, 0.11e-9), pingpongOf("sockets", 99.1e-6, 0.3e-9)...)...)
		for i := range more {
			more[i].ID = fmt.Sprint(state, " ", more[i].ID)
		}
		for i := range points {
			p := &points[i]
			p.Run, p.State = fmt.Sprint(state, " ", p.Run), state
			factor := math.Pow(20, float64(n)) * (0.2 + random.Float64())
			for key, v := range p.Metrics.All() {
				v.Median *= factor
				p.Metrics.Set(key, v)
			}
		}
		runs, all = append(runs, more...), append(all, points...)
	}
	text := firstScreenOf(runs, all, &series.Scales{}, Terminal{Width: 80, Height: 24}, View{}, false)
	head, lanes := "", 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "pingpong ") {
			head = strings.Join(strings.Fields(line), " ")
		}
		if strings.Count(line, "±") == 4 {
			lanes++
		}
	}
	if want := "pingpong latency, 8 B 64 KiB 1 MiB peak"; head != want || lanes != 2 {
		t.Errorf("the headline has the columns %q with %d lanes with intervals, want %q with 2:\n%s", head, lanes, want, text)
	}
}

// Another state of the cores is shown where it differs by more than the intervals, and only there
// unless all are asked for.
func TestOtherStatesAreShownWhereTheyDiffer(t *testing.T) {
	row := func(state string, median, half float64) record.Point {
		p := record.Point{Bench: "pingpong", Transport: "smem", Size: 8, State: state, Launches: 7}
		p.Metrics.Set("half_rtt_s", record.Value{Median: median, Lo: median - half, Hi: median + half, Confidence: 0.95, N: 1})
		return p
	}
	alike := []record.Point{row("near", 1e-6, 1e-7), row("far", 1.1e-6, 1e-7)}
	apart := []record.Point{row("near", 1e-6, 1e-7), row("far", 3e-6, 1e-7)}
	for _, c := range []struct {
		rows []record.Point
		view View
		want int
	}{{alike, View{}, 1}, {apart, View{}, 2}, {alike, View{States: true}, 2}, {alike, View{Full: true}, 2}} {
		if got := c.view.visible(c.rows); len(got) != c.want {
			t.Errorf("%+v: %d rows, want %d", c.view, len(got), c.want)
		}
	}
}

func TestDigitsFollowTheInterval(t *testing.T) {
	for _, c := range []struct {
		v, share float64
		want     string
	}{{0.1312, 0.38, "0.13"}, {11.12, 0.03, "11.1"}, {366.4, 0.07, "366"}, {0.13124, 0.001, "0.1312"}, {9.96, 0.1, "10"}, {3.04, 0, "3.0"}, {0, 0.1, "-"}} {
		if got := human.Rounded(c.v, human.Digits(c.share)); got != c.want {
			t.Errorf("%v ± %v is %s, want %s", c.v, c.share, got, c.want)
		}
	}
	for share, want := range map[float64]string{0: "", 0.004: "0.4", 0.03: "3", 0.38: "38", 2.7: "270", 536: ">999"} {
		if got := human.PlusMinus(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// Launches that agree in all digits have a ± of 0, and of logs no launches are asked for.
func TestTrustInLogs(t *testing.T) {
	for _, logged := range []bool{false, true} {
		for launches, want := range map[int][2]string{1: {"launches=8", "logs of several runs"}, 2: {"launches=8", "logs of more runs"}, 8: {"± is 0 %.", "± is 0 %."}} {
			runs, all := experimentOf(pingpongOf("tcp", 1e-6, 1e-9)[0]) // of eight launches, one point each
			runs, all = runs[:launches], all[:launches]
			for i := range all {
				all[i].Metrics = record.Values{}
				all[i].Metrics.Set("half_rtt_s", record.Value{Median: 1e-6, N: 1, Statistic: record.Mean})
				if logged {
					all[i].Library = "OSU"
					runs[i].Command, runs[i].Source = []string{"gobench", "import", "x.log"}, &record.Source{Name: "x.log"}
				}
			}
			text := strings.Join(strings.Fields(firstScreenOf(runs, all, &series.Scales{}, Terminal{Width: 80, Height: 24}, View{}, false)), " ")
			if want := want[map[bool]int{true: 1}[logged]]; !strings.Contains(text, want) || logged && strings.Contains(text, "launches=") {
				t.Errorf("%d launches, of logs %v: no %q in %s", launches, logged, want, text)
			}
		}
	}
}
