package importer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

// podRun is a launch of a sweep in the log of a pod, of which the first number of points is given.
func podRun(id string, launch, points int) (r record.Run, list []record.Point) {
	at := time.Date(2026, 11, 21, 12, launch, 0, 0, time.UTC)
	r = record.Run{ID: id, Time: at, Command: []string{"gobench"}, Job: record.Job{Launcher: "local", Ranks: 2}}
	for i := range points {
		list = append(list, record.Point{
			Run: id, Time: at, Bench: "pingpong", Transport: "tcp", Level: "device", Size: 8 << i, Ranks: 2, RankKind: "process",
			Cache: "warm", Iterations: 100, Block: launch, Launch: launch,
			Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-6, N: 100}}),
		})
	}
	return r, list
}

// The log of a pod keeps what its rows state about launches, so that points of a launch that failed
// or was interrupted are no results; the log that has grown completes them.
func TestTheLogOfAPodKeepsAllRows(t *testing.T) {
	var rows bytes.Buffer
	w := record.NewWriter(&rows)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	launch := func(n, points int) record.Launch {
		id := fmt.Sprintf("pod-%d", n)
		if points == 0 {
			id = "log-0123456789abcdef" // of a log that was imported there
		}
		r, list := podRun(id, n, points)
		must(w.WriteAll(&r, list))
		return record.Launch{Run: r.ID, Time: r.Time, Sweep: "s", Plan: "p", Command: r.Command, Program: "old", Launch: n, Block: n}
	}
	plan := record.Plan{ID: "p", Time: time.Unix(1e9, 0), Sweep: "s", File: "s.toml", SHA256: strings.Repeat("0", 64), Lines: []string{"x"}}
	must(w.WritePlan(&plan))
	one := launch(1, 2)
	must(w.WriteLaunch(&one))
	failed := launch(2, 0)
	must(w.WriteFailure(&record.Failure{Run: failed.Run, Time: failed.Time, Sweep: "s", Plan: "p", Name: "c", Command: one.Command, Launch: 2, Block: 2, Attempt: 1, Why: "it failed"}))
	third := launch(3, 3)
	lines := strings.SplitAfter(rows.String(), "\n")
	cut := "x\n" + record.LogBegin + "\n" + strings.Join(lines[:len(lines)-2], "") // without the last point
	must(w.WriteLaunch(&third))
	whole := "x\n" + record.LogBegin + "\n" + rows.String() + record.LogEnd + "\n"

	file := filepath.Join(t.TempDir(), "x.jsonl")
	for _, c := range []struct {
		name, log, said   string
		launches, results int
	}{
		{"cut", cut, "pod.log ends before the line", 1, 2},
		{"torn", cut + `{"schema":`, "pod.log: the records in it: input:11: the last line is incomplete", 1, 2},
		{"whole", whole, "", 2, 5},
		{"again, in UTF-16", "\xff\xfe" + strings.Join(strings.Split(whole, ""), "\x00") + "\x00", "", 2, 5},
	} {
		launches, err := Import("pod.log", []byte(c.log), Given{})
		must(err)
		_, _, warnings, err := Append(file, []Log{{"pod.log", launches}}, false)
		must(err)
		if said := strings.Join(warnings, "\n"); !strings.Contains(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s: warnings %q", c.name, said)
		}
		got, err := record.LoadResults(file)
		must(err)
		if len(got.Plans) != 1 || len(got.Failures) != 1 || len(got.Launches) != c.launches || len(got.Points) != c.results || len(got.Runs) != 3 {
			text, _ := os.ReadFile(file)
			t.Errorf("%s: %d launches, %d results in\n%s", c.name, len(got.Launches), len(got.Points), text)
		}
	}
}
