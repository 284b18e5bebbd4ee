package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gobench/internal/record/series"
	"gobench/record"
)

// launches is a command of eight launches, each with the points of the table's tests, some per
// cent apart.
func launches() (runs []record.Run, all []record.Point) {
	when := time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)
	for i, percent := range []float64{100, 103, 98, 101, 97, 102, 99, 104} {
		r := record.Run{ID: fmt.Sprint("r", i), Series: "s", Time: when, Command: []string{"gobench", "p2p"}, Hosts: []any{map[string]any{}}, Job: record.Job{Launcher: "local", Ranks: 2}}
		runs = append(runs, r)
		for _, p := range points() {
			p.Run, p.Time, p.Launch = r.ID, when, i+1
			for key, v := range p.Metrics.All() {
				by := percent / 100
				if strings.HasSuffix(key, "_Bps") || strings.HasSuffix(key, "_per_s") {
					by = 1 / by
				}
				for _, of := range []*float64{&v.Median, &v.Lo, &v.Hi, &v.Min, &v.P50, &v.P90, &v.P99, &v.P999, &v.Max} {
					*of *= by
				}
				p.Metrics.Set(key, v)
			}
			all = append(all, p)
		}
	}
	return runs, all
}

// written is a file of their records.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	runs, points := launches()
	for i := range runs {
		if err := w.WriteRun(&runs[i]); err != nil {
			t.Fatal(err)
		}
		for j := range points {
			if points[j].Run != runs[i].ID {
				continue
			}
			if err := w.WritePoint(&points[j]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func show(t *testing.T, f Form, files ...string) (out, warnings string, err error) {
	t.Helper()
	var o, w bytes.Buffer
	err = Show(Output{W: &o, Remarks: &w, Form: f, View: View{Full: true}}, files, Selection{}, nil)
	return o.String(), w.String(), err
}

func TestShowDrawsTheSameTable(t *testing.T) {
	out, warnings, err := show(t, Text, written(t))
	if err != nil || warnings != "" {
		t.Fatal(err, warnings)
	}
	runs, points := launches()
	if diff := cmp.Diff(seriesTable(runs, points, &series.Scales{}, Terminal{}, false), out); diff != "" {
		t.Errorf("(-measured +shown):\n%s", diff)
	}
	// The median of eight launches, with their range as interval.
	if want := "       4.051   4.8!"; !strings.Contains(out, want) || strings.Count(out, "\n# pingpong over smem") != 1 {
		t.Errorf("%q is missing in\n%s", want, out)
	}
}

// The points of a failed launch are in the file, and are not shown.
func TestAFailedLaunchIsNotShown(t *testing.T) {
	path := written(t)
	w, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = w.WriteFailure(&record.Failure{Run: "f", Time: time.Unix(0, 0), Plan: "s", Name: "gobench p2p", Command: []string{"p2p"}, Launch: 8, Block: 1, Attempt: 1, Why: "a reason"})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	out, warnings, err := show(t, Text, path)
	if err != nil || !strings.Contains(warnings, "results of failed launches left out\n") || !strings.Contains(warnings, "and was left out: a reason\n") {
		t.Error(err, warnings)
	}
	runs, points := launches()
	if diff := cmp.Diff(seriesTable(runs[:7], points[:len(points)/8*7], &series.Scales{}, Terminal{}, false), out); diff != "" {
		t.Errorf("(-measured +shown):\n%s", diff)
	}
}

// What is to say about several commands is said once. The files have one run each, of other IDs.
func TestShowSaysTheSameOnce(t *testing.T) {
	var files []string
	for _, id := range []string{"s", "t"} {
		b, err := os.ReadFile(written(t))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(t.TempDir(), id+".jsonl"))
		if err := os.WriteFile(files[len(files)-1], []byte(strings.NewReplacer(`"run":"r`, `"run":"`+id, `"series":"s"`, `"series":"`+id+`"`).Replace(string(b))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, remarks strings.Builder
	if err := Show(Output{W: &out, Remarks: &remarks, Form: Text}, files, Selection{}, nil); err != nil {
		t.Fatal(err)
	}
	if n, all := strings.Count(remarks.String(), "notes on rows"), strings.Count(out.String(), "# run"); n != 1 || all != 2 {
		t.Errorf("%d commands, notes on %d:\n%s", all, n, remarks.String())
	}
}

func TestShowJSONIsTheFile(t *testing.T) {
	path := written(t)
	out, _, err := show(t, JSON, path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestShowCSVHasOneRowForEachCell(t *testing.T) {
	out, _, err := show(t, CSV, written(t))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(points()) {
		t.Errorf("%d rows", len(rows))
	}
}

func TestShowReadsUpToATornLine(t *testing.T) {
	path := written(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	out, warnings, err := show(t, Text, path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(warnings, "incomplete") || !strings.Contains(out, "pingpong") || !strings.Contains(out, "   7 stream") {
		t.Errorf("warnings %q, output\n%s", warnings, out)
	}
}

func TestShowPrintsRecordsBeforeAnUnreadableLine(t *testing.T) {
	path := written(t)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("what is this\n{}\n")
	f.Close()
	out, _, err := show(t, Text, path)
	if err == nil || !strings.Contains(out, "uniband") {
		t.Errorf("error %v, output\n%s", err, out)
	}
}
