package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gobench/compare"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/record"
	"gobench/report"
)

const (
	nearCores = 30e-9
	farCores  = 160e-9
)

// librariesSwept writes a sweep of eight launches of gobench's own ping-pong and that of two MPI
// libraries. The cores are near in all launches and far in seven, and some launches have two rows
// on near cores, as by their own scale.
func librariesSwept(t *testing.T, path string) {
	t.Helper()
	w, err := record.Open(path)
	random := rand.New(rand.NewPCG(36, 1))
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, number := range random.Perm(8) { // the order of time is not that of the file
		for i, library := range []string{"", "Open MPI 4.1.4", "MPICH 4.0.2"} {
			id := fmt.Sprintf("launch-%d-%d", number, i)
			at := begin.Add(time.Duration(number) * time.Minute)
			err = errors.Join(err, w.WriteRun(&record.Run{
				ID: id, Series: "s" + id, Time: at, Command: []string{"gobench", "p2p"}, Label: "night",
				Program: map[string]any{"version": "v1", "commit": "0123abcd"},
				Hosts:   []any{map[string]any{"hostname": "n1"}}, Job: record.Job{Launcher: "local", Ranks: 2, Hosts: []int{0, 0}, Cores: []int{0, 1}},
			}))
			points := 0
			for _, size := range []int64{8, 65536} {
				for _, distance := range []float64{nearCores, 1.2 * nearCores, farCores} {
					if distance == farCores && number == 3 || distance == 1.2*nearCores && number%3 > 0 {
						continue
					}
					x := (1 + float64(i)) * (1 + float64(size)/1e4) * 1e-7 * (1 + random.Float64()/10) * (1 + distance/1e-7)
					p := record.Point{
						Run: id, Time: at, Bench: "pingpong", Transport: "smem", Level: "device", Size: size, Amount: size, Ranks: 2, RankKind: "process", Cores: []int{0, 1},
						Iterations: 1000, Launch: number + 1, Block: number + 1, Seed: 7, StateDistance: distance, StateShare: 0.4,
						Metrics: record.ValuesOf(map[string]record.Value{
							"half_rtt_s":    {Median: x, Lo: 0.99 * x, Hi: 1.01 * x, Confidence: 0.95, N: 1000},
							"bandwidth_Bps": {Median: float64(size) / x, Lo: float64(size) / (1.01 * x), Hi: float64(size) / (0.99 * x), Confidence: 0.95, N: 1000},
						}),
					}
					if distance == 1.2*nearCores {
						p.Iterations = 10
					}
					if library != "" {
						p.Transport, p.Options = "mpi", map[string]string{"library": library, "version": library + " of a distribution"}
					}
					err = errors.Join(err, w.WritePoint(&p))
					points++
				}
			}
			err = errors.Join(err, w.WriteLaunch(&record.Launch{
				Run: id, Series: "s" + id, Time: at, Sweep: "night", Plan: "abc", Command: []string{"p2p"}, Version: "v1", Host: "n1", Launch: number + 1, Block: number + 1, Seed: 7, Points: points,
			}))
		}
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// A printed row has the numbers of a cell and state as text, "" where there is none.
type printedRow struct{ launches, time, lo, hi, rate string }

// cellName identifies a cell and state in all forms.
func cellName(library, size, state string) string { return library + " " + size + " " + state }

// shown returns what gobench show prints.
func shown(t *testing.T, form report.Form, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Show(report.Output{W: &out, Remarks: io.Discard, Form: form}, files, report.Selection{}, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func jsonRowsOf(t *testing.T, text string) map[string]printedRow {
	t.Helper()
	rows := map[string]printedRow{}
	for line := range strings.Lines(text) {
		var r struct {
			Kind     string        `json:"kind"`
			Library  string        `json:"library_version"`
			Size     json.Number   `json:"size_B"`
			State    string        `json:"state"`
			Host     string        `json:"host"`
			Label    string        `json:"label"`
			Commit   string        `json:"commit"`
			Launches json.Number   `json:"launches"`
			Time     jsonStatistic `json:"half_rtt_s"`
			Rate     jsonStatistic `json:"bandwidth_Bps"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind != "summary" || r.Host != "n1" || r.Label != "night" || r.Commit != "0123abcd" {
			t.Errorf("a row without its facts: %s", line)
		}
		rows[cellName(r.Library, string(r.Size), r.State)] = printedRow{string(r.Launches), string(r.Time.Median), string(r.Time.Lo), string(r.Time.Hi), string(r.Rate.Median)}
	}
	return rows
}

type jsonStatistic struct {
	Median json.Number `json:"median"`
	Lo     json.Number `json:"lo"`
	Hi     json.Number `json:"hi"`
}

func csvRowsOf(t *testing.T, text string) map[string]printedRow {
	t.Helper()
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]printedRow{}
	for _, line := range table[1:] {
		of := map[string]string{}
		for i, name := range table[0] {
			of[name] = line[i]
		}
		if of["host"] != "n1" || of["label"] != "night" || of["commit"] != "0123abcd" {
			t.Errorf("a row without its facts: %q", line)
		}
		rows[cellName(of["library_version"], of["size_B"], of["state"])] = printedRow{of["launches"], of["half_rtt_s_median"], of["half_rtt_s_lo"], of["half_rtt_s_hi"], of["bandwidth_Bps_median"]}
	}
	return rows
}

// sameNumber reports whether a text is a number in a decimal unit, to the digits that it has.
func sameNumber(text string, exact string, scale float64) bool {
	x, err := strconv.ParseFloat(exact, 64)
	if err != nil {
		return false
	}
	_, decimals, _ := strings.Cut(text, ".")
	return text == strconv.FormatFloat(x*scale, 'f', len(decimals), 64)
}

// The numbers of a cell are the same in show, CSV, JSON, reports and comparisons, for records of
// two states of the cores, three libraries and several launches; also if a file is given twice, or
// contains its rows twice.
func TestNumbersAgree(t *testing.T) {
	dir := t.TempDir()
	plain, again, doubled := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "twice.jsonl")
	librariesSwept(t, plain)
	text, err := os.ReadFile(plain)
	if err == nil {
		err = errors.Join(os.WriteFile(again, text, 0o644), os.WriteFile(doubled, append(bytes.Clone(text), text...), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	want := jsonRowsOf(t, shown(t, report.Rows, plain))
	if len(want) != 3*2*2 {
		t.Fatalf("%d rows: %v", len(want), want)
	}
	for name, r := range want {
		if n := map[bool]string{true: "8", false: "7"}[strings.HasSuffix(name, "near")]; r.launches != n || r.lo == "" {
			t.Errorf("%s: %+v, want %s launches with an interval", name, r, n)
		}
	}
	for _, files := range [][]string{{plain}, {plain, again}, {doubled}} {
		for form, got := range map[string]map[string]printedRow{"JSON": jsonRowsOf(t, shown(t, report.Rows, files...)), "CSV": csvRowsOf(t, shown(t, report.CSV, files...))} {
			for name, r := range want {
				if got[name] != r || len(got) != len(want) {
					t.Errorf("%s of %q: %s of %d is %+v, want %+v", form, files, name, len(got), got[name], r)
				}
			}
		}
		sameTable(t, want, shown(t, report.Text, files...))
		set, err := cell.Load(files, record.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		sameReport(t, want, set)
		sameData(t, want, set)
		sameComparison(t, want, set.Sources)
	}
}

// sameTable compares the table of show: of each library a block, of each size and state a row.
func sameTable(t *testing.T, want map[string]printedRow, table string) {
	t.Helper()
	rows := regexp.MustCompile(`(?m)^ +(\d+) +\d+ +([0-9.]+) +[0-9.]+[! ]? +[0-9.]+ +- +([0-9.]+) +(\d+) +\d+:(near|far):`).FindAllStringSubmatch(table, -1)
	if len(rows) != len(want) {
		t.Errorf("%d rows in\n%s", len(rows), table)
	}
	for _, r := range rows {
		found := false
		for _, library := range []string{"gobench v1", "Open MPI 4.1.4", "MPICH 4.0.2"} {
			w := want[cellName(library, r[1], r[5])]
			found = found || sameNumber(r[2], w.time, 1e6) && sameNumber(r[3], w.rate, 1e-6) && r[4] == w.launches
		}
		if !found {
			t.Errorf("no cell has the numbers of the row %q", r[0])
		}
	}
}

// sameReport compares the cells of figures, and the tables of a report as Markdown and HTML. Lines
// and tables have one state of the cores, here near.
func sameReport(t *testing.T, want map[string]printedRow, set *cell.Set) {
	t.Helper()
	d := document.Build(set, figure.All(set), document.Command{})
	var md, html bytes.Buffer
	if err := errors.Join(d.Markdown(&md, func(name string) string { return name }), d.HTML(&html)); err != nil {
		t.Fatal(err)
	}
	units := map[string]float64{"ns": 1e9, "µs": 1e6, "MB/s": 1e-6, "GB/s": 1e-9}
	head := regexp.MustCompile(`(?m)^\| series \| at \| half\\_rtt, (\S+) \| bandwidth, (\S+) \| 95 % CI, (\S+) \|`).FindStringSubmatch(md.String())
	if head == nil || head[1] != head[3] {
		t.Fatalf("no table of half round trips with one unit a column:\n%s", md.String())
	}
	time, rate := units[head[1]], units[head[2]]
	for _, series := range cell.Split(set.Points, "half_rtt_s", func(p cell.Point) float64 { return float64(p.Size) }) {
		library := map[string]string{"smem": "gobench v1"}[series.Name]
		for _, name := range []string{"Open MPI 4.1.4", "MPICH 4.0.2"} {
			if strings.Contains(series.Name, name) {
				library = name
			}
		}
		for _, c := range series.Cells {
			w := want[cellName(library, fmt.Sprint(c.X), "near")]
			exact := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
			parsed := func(s string) string { x, _ := strconv.ParseFloat(s, 64); return exact(x) }
			if exact(c.Median) != parsed(w.time) || exact(c.Lo) != parsed(w.lo) || exact(c.Hi) != parsed(w.hi) || fmt.Sprint(c.Launches()) != w.launches || exact(c.Middle("bandwidth_Bps")) != parsed(w.rate) {
				t.Errorf("%s, %g B: %v from %v to %v of %d launches, want %+v", series.Name, c.X, c.Median, c.Lo, c.Hi, c.Launches(), w)
			}
			row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(series.Name) + ` \| ` + map[float64]string{8: "8 B", 65536: "64 KiB"}[c.X] + ` \| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) to ([0-9.]+) .*\| (\d+) \|$`).FindStringSubmatch(md.String())
			if row == nil || !sameNumber(row[1], w.time, time) || !sameNumber(row[2], w.rate, rate) || !sameNumber(row[3], w.lo, time) || !sameNumber(row[4], w.hi, time) || row[5] != w.launches {
				t.Errorf("%s, %g B: the report has %q, want %+v", series.Name, c.X, row, w)
			} else if !strings.Contains(html.String(), ">"+row[1]+"<") || !strings.Contains(html.String(), row[3]+" to "+row[4]) {
				t.Errorf("%s, %g B: %q is not in the HTML", series.Name, c.X, row[0])
			}
		}
	}
}

// sameData compares the CSV beside the figure of ping-pong.
func sameData(t *testing.T, want map[string]printedRow, set *cell.Set) {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := document.Write(set, document.Output{Path: filepath.Join(dir, "pingpong.csv"), Figures: []string{"pingpong"}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pingpong.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	for _, line := range table[1:] {
		of := map[string]string{}
		for i, name := range table[0] {
			of[name] = line[i]
		}
		library := "gobench v1"
		for _, name := range []string{"Open MPI 4.1.4", "MPICH 4.0.2"} {
			if strings.Contains(of["series"], name) {
				library = name
			}
		}
		w := want[cellName(library, of["x"], "near")]
		switch of["metric"] {
		case "half_rtt_s":
			times++
			if of["median"] != w.time || of["lo"] != w.lo || of["hi"] != w.hi || of["n"] != w.launches || of["bounds"] != "95 % interval between launches" {
				t.Errorf("beside the figure is %q, want %+v", line, w)
			}
		case "bandwidth_Bps":
			if of["median"] != w.rate {
				t.Errorf("beside the figure is %q, want %+v", line, w)
			}
		}
	}
	if times != 3*2 {
		t.Errorf("%d times beside the figure:\n%s", times, text)
	}
}

// sameComparison compares the columns of the sides.
func sameComparison(t *testing.T, want map[string]printedRow, sources []compare.Source) {
	t.Helper()
	r, err := compare.Compare(sources, compare.Options{By: "transport"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2*2 {
		t.Errorf("%d rows, want one of each size and MPI library: %s", len(r.Rows), r.Nothing())
	}
	for _, row := range r.Rows {
		for side, got := range map[string]float64{row.Base: row.A.Median, row.Side: row.B.Median} {
			found := false
			for name, w := range want {
				exact, err := strconv.ParseFloat(w.time, 64)
				own := strings.HasPrefix(name, "gobench")
				found = found || err == nil && exact == got && own == (side == "smem") && strings.Contains(name, fmt.Sprint(" ", row.Cell.Sample.Size, " "))
			}
			if !found {
				t.Errorf("%s of %s: no cell has %v", row.Cell, side, got)
			}
		}
	}
}
