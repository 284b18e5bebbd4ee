package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/importer"
	"gobench/internal/report/export"
	"gobench/record"
)

// rows returns rows of a table: a ping-pong in two states of the cores, a stream, a collective and
// a kernel.
func rows() []record.Point {
	row := func(bench string, size int64, ranks int, key string, v record.Value) record.Point {
		p := record.Point{Bench: bench, Transport: "smem", Level: "comm", Size: size, Ranks: ranks, RankKind: "process",
			Host: "h 1,x=2", Launches: 8, Iterations: 100, Time: time.Unix(1795723481, 5), LibraryVersion: "gobench v1"}
		p.Metrics.Set(key, v)
		return p
	}
	near := row("pingpong", 8, 2, "half_rtt_s", record.Value{Median: 1.5e-6, Lo: 1.25e-6, Hi: 2e-6, P99: 9e-6, N: 8})
	near.State, near.StateShare = "near", 0.75
	near.Metrics.Set("bandwidth_Bps", record.Value{Median: 8 / 1.5e-6, N: 8})
	far := row("pingpong", 8, 2, "half_rtt_s", record.Value{Median: 3e-6, N: 8})
	far.State, far.StateShare = "far", 0.25
	far.Metrics.Set("bandwidth_Bps", record.Value{Median: 8 / 3e-6, N: 8})
	long := row("pingpong", 1024, 2, "half_rtt_s", record.Value{Median: 2.5e-6, N: 8})
	long.Metrics.Set("bandwidth_Bps", record.Value{Median: 1024 / 2.5e-6, N: 8})
	stream := row("uniband", 4096, 2, "bandwidth_Bps", record.Value{Median: 2.5e9, N: 8})
	stream.Metrics.Set("message_rate_per_s", record.Value{Median: 2.5e9 / 4096, N: 8})
	stream.Window = 64
	reduce := row("allreduce", 64, 4, "local_s", record.Value{Median: 7.25e-6, N: 8})
	kernel := row("cg", 0, 4, "mops", record.Value{Median: 1234, N: 8})
	kernel.Class = "A"
	return []record.Point{near, far, long, stream, reduce, kernel}
}

func written(t *testing.T, file string) string {
	t.Helper()
	f, ok := export.Of(file)
	if !ok {
		t.Fatalf("no format writes %s", file)
	}
	var b bytes.Buffer
	if _, err := f.Write(&b, []export.Command{{Rows: rows()}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A performance log of ReFrame has a line for each metric, each with as many cells as its head.
func TestPerflog(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(t, "x.perflog.csv"))).ReadAll() // checks the number of cells
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pass", "2026-11-26T", "pingpong/smem/comm/8B/ranks=2/state=near", "h 1,x=2", "2", "half_rtt", "1.5", "us"}
	if got := lines[1]; len(lines) != 11 || !strings.HasPrefix(got[1], want[1]) || !slices.Equal(slices.Delete(slices.Clone(got), 1, 2), slices.Delete(want, 1, 2)) {
		t.Errorf("%d lines, %q", len(lines), got)
	}
}

// Every line of the text for Prometheus is one of its grammar, no sample appears twice, and
// promtool accepts it where it is installed.
func TestOpenMetrics(t *testing.T) {
	text := written(t, "node.prom")
	sample := regexp.MustCompile(`^gobench_[a-z_]+\{([a-zA-Z_]+="(\\.|[^"\\])*",)*[a-z]+="[a-z0-9]+"\} [0-9.e+-]+$`)
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "# ") && !sample.MatchString(line) {
			t.Errorf("%q is no sample", line)
		}
		name, _, _ := strings.Cut(line, "} ")
		if seen[name] {
			t.Errorf("%q appears twice", name)
		}
		seen[name] = true
	}
	for _, want := range []string{
		`gobench_half_rtt_seconds{bench="pingpong",transport="smem",level="comm",size_B="8",ranks="2",host="h 1,x=2",state="near",statistic="median"} 1.5e-06`,
		`statistic="high"} 2e-06`, `statistic="p99"} 9e-06`, "# TYPE gobench_bandwidth_bytes_per_second gauge", "gobench_mops{", "# EOF\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if promtool, err := exec.LookPath("promtool"); err == nil {
		check := exec.Command(promtool, "check", "metrics")
		check.Stdin = strings.NewReader(text)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool: %v: %s", err, out)
		}
	}
}

func TestInflux(t *testing.T) {
	text := written(t, "x.influx")
	want := `gobench,bench=pingpong,transport=smem,level=comm,size_B=8,ranks=2,host=h\ 1\,x\=2,state=near half_rtt_s=1.5e-06,half_rtt_s_lo=1.25e-06,half_rtt_s_hi=2e-06,half_rtt_s_p99=9e-06,bandwidth_Bps=5.333333333333333e+06 1795723481000000005` + "\n"
	if !strings.HasPrefix(text, want) || strings.Count(text, "\n") != 6 {
		t.Errorf("%s", text)
	}
}

func TestBencher(t *testing.T) {
	var got map[string]map[string]map[string]float64
	if err := json.Unmarshal([]byte(written(t, "x.bmf.json")), &got); err != nil {
		t.Fatal(err)
	}
	latency := got["pingpong/smem/comm/8B/ranks=2/state=near"]["latency"]
	if len(got) != 6 || math.Abs(latency["value"]-1500) > 1e-9 || math.Abs(latency["upper_value"]-2000) > 1e-9 {
		t.Errorf("%v", got)
	}
}

func TestGithubAction(t *testing.T) {
	var got []struct {
		Name, Unit, Range string
		Value             float64
	}
	if err := json.Unmarshal([]byte(written(t, "x.gab.json")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 || got[0].Unit != "us" || got[0].Range != "1.25 to 2" || got[3].Name != "allreduce/smem/comm/64B/ranks=4" {
		t.Errorf("%+v", got)
	}
}

// Tables of OSU and IMB are read back by gobench import, and those of OSU by the expressions with
// which ReFrame's library of checks reads them.
func TestRivalsAreReadBack(t *testing.T) {
	for file, method := range map[string]string{"x.osu": "osu", "x.imb": "imb"} {
		text := written(t, file)
		launches, err := importer.Import(file, []byte(text), importer.Given{Ranks: 4, Strict: true})
		if err != nil {
			t.Fatalf("%s: %v\n%s", method, err, text)
		}
		found := map[string]float64{}
		for _, l := range launches {
			for _, p := range l.Points {
				for _, key := range []string{"half_rtt_s", "local_s", "bandwidth_Bps"} {
					if v, ok := p.Metrics.Lookup(key); ok {
						found[p.Bench+" "+key] += v.Median
					}
				}
			}
		}
		for name, want := range map[string]float64{"pingpong half_rtt_s": 4e-6, "uniband bandwidth_Bps": 2.5e9, "allreduce local_s": 7.25e-6} {
			if got := found[name]; math.Abs(got-want) > 0.01*want {
				t.Errorf("%s: %s is read back as %v, want %v\n%s", method, name, got, want, text)
			}
		}
	}
	text := written(t, "x.osu")
	for expression, want := range map[string]string{`(?m)^8\s+(?P<latency>\S+)`: "1.50", `(?m)^4096\s+(?P<bw>\S+)`: "2500.00"} {
		if m := regexp.MustCompile(expression).FindStringSubmatch(text); m == nil || m[1] != want {
			t.Errorf("%s finds %q, want %s", expression, m, want)
		}
	}
}

// Of commands that measured the same conditions the last one counts, in whatever order they are
// given, in formats without times; what is left out is said. Conditions that differ in a chosen
// factor stay apart.
func TestTheLatestRowsCount(t *testing.T) {
	at := func(day int, x float64, copies string) record.Point {
		p := rows()[2]
		p.Time, p.Options = time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC), map[string]string{"copy": copies, "ring_bytes": "4096"}
		p.Metrics.Set("half_rtt_s", record.Value{Median: x, N: 8})
		return p
	}
	old, now, other := at(1, 1e-6, "cma"), at(2, 2e-6, "cma"), at(1, 4e-6, "none")
	old.State, old.StateShare = "near", 1
	kernel := rows()[5]
	kernel.Time = old.Time
	for file, want := range map[string]struct {
		has  []string
		left int
	}{
		"x.prom":        {[]string{`options="copy=cma",host="h 1,x=2",statistic="median"} 2e-06`, `options="copy=none",host="h 1,x=2",statistic="median"} 4e-06`}, 1},
		"x.bmf.json":    {[]string{`"pingpong/smem/comm/1024B/ranks=2/options=copy=cma"`, `"value": 2000`, `"value": 4000`}, 1},
		"x.gab.json":    {[]string{`"value": 2,`, `"value": 4,`}, 1},
		"x.influx":      {[]string{"half_rtt_s=1e-06", "half_rtt_s=2e-06", "half_rtt_s=4e-06"}, 0},
		"x.perflog.csv": {[]string{"options=copy=cma,\"h 1,x=2\",2,half_rtt,2,us", "/state=near,\"h 1,x=2\",2,half_rtt,1,us"}, 0},
		"x.osu":         {[]string{" options=copy=cma host=h 1,x=2\n# Size           Avg Latency(us)\n1024                        2.00\n", "1024                        4.00\n"}, 1},
		"x.imb":         {[]string{" 1024          100         2.00", " 1024          100         4.00"}, 1},
	} {
		f, _ := export.Of(file)
		var b bytes.Buffer
		warnings, err := f.Write(&b, []export.Command{{Rows: []record.Point{now, other}}, {Rows: []record.Point{old, kernel}}})
		text := b.String()
		for _, has := range want.has {
			if err != nil || !strings.Contains(text, has) {
				t.Errorf("%s lacks %q, %v:\n%s", file, has, err, text)
			}
		}
		if said := strings.Join(warnings, "\n"); want.left > 0 && !strings.HasPrefix(said, "1 of 4 rows are left out: they are older") || want.left == 0 && strings.Contains(said, "older") {
			t.Errorf("%s: %s", file, said)
		}
		if strings.HasSuffix(file, ".osu") != strings.Contains(strings.Join(warnings, "\n"), "OSU Micro-Benchmarks has no place") && file != "x.imb" && file != "x.gab.json" {
			t.Errorf("%s: %q", file, warnings)
		}
		if want.left > 0 && strings.Contains(text, "1e-06}") {
			t.Errorf("%s has the old row:\n%s", file, text)
		}
	}
}

// Programs that a plan compares are measured together: none replaces another, in any format.
func TestProgramsOfAPlanStayApart(t *testing.T) {
	for _, f := range export.Formats {
		var b bytes.Buffer
		warnings, err := f.Write(&b, []export.Command{{Program: "gb", Rows: rows()}, {Program: "gbx", Rows: rows()}})
		if err != nil || strings.Contains(strings.Join(warnings, "\n"), "older") || !regexp.MustCompile(`program="?gb\b`).Match(b.Bytes()) || !regexp.MustCompile(`program="?gbx\b`).Match(b.Bytes()) {
			t.Errorf("%s: %v, %q\n%s", f.Suffix, err, warnings, b.String())
		}
	}
}

// What a label contains is no line of a table of another program.
func TestLabelsOfSeveralLines(t *testing.T) {
	for _, file := range []string{"x.osu", "x.imb"} {
		f, _ := export.Of(file)
		p := rows()[0]
		p.Label, p.Datatype = "a\n8 1000 99.00 99.00", "char\n8 99.00"
		var b bytes.Buffer
		if _, err := f.Write(&b, []export.Command{{Rows: []record.Point{p}}}); err != nil || regexp.MustCompile(`(?m)^8 .*99`).Match(b.Bytes()) {
			t.Errorf("%s: %v\n%s", file, err, b.String())
		}
	}
}

// The heading of a table of IMB fits all its rows: 0 B have no bandwidth.
func TestTablesThatBeginWithoutABandwidth(t *testing.T) {
	imb, _ := export.Of("x.imb")
	for n, bench := range []string{"pingpong", "sendrecv", "uniband"} {
		var of []record.Point
		for _, size := range []int64{0, 8} {
			p := rows()[0]
			p.Bench, p.Size, p.State, p.Metrics = bench, size, "", record.Values{}
			p.Metrics.Set([]string{"half_rtt_s", "t_s", "message_rate_per_s"}[n], record.Value{Median: []float64{1e-6, 1e-6, 1e6}[n], N: 8})
			if size > 0 {
				p.Metrics.Set("bandwidth_Bps", record.Value{Median: 8e6, N: 8})
			}
			of = append(of, p)
		}
		var b bytes.Buffer
		if _, err := imb.Write(&b, []export.Command{{Rows: of}}); err != nil {
			t.Fatal(err)
		}
		launches, err := importer.Import("x.imb", b.Bytes(), importer.Given{Strict: true})
		if err != nil || len(launches) != 1 || len(launches[0].Points) != 2 {
			t.Errorf("%s: %v, %v\n%s", bench, launches, err, b.String())
		}
	}
}

func TestErrors(t *testing.T) {
	osu, _ := export.Of("x.osu")
	kernel := rows()[5:]
	if _, err := osu.Write(&bytes.Buffer{}, []export.Command{{Rows: kernel}}); err == nil || err.Error() != "the format of OSU Micro-Benchmarks has no place for any of the 1 rows" {
		t.Errorf("%v", err)
	}
	full := errors.New("full")
	for _, f := range export.Formats {
		if _, err := f.Write(failing{full}, []export.Command{{Rows: rows()}}); !errors.Is(err, full) {
			t.Errorf("%s: %v", f.Suffix, err)
		}
	}
	if _, ok := export.Of("x.json"); ok {
		t.Error("x.json has a format")
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
