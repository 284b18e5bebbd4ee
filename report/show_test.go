package report

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/bench/record"
	"gobench/internal/terminal"
)

// written is a file of records with the points of the table's tests.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	when := time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)
	if err := w.WriteRun(&record.Run{ID: "r1", Time: when, Command: []string{"gobench", "p2p"}, Hosts: []any{map[string]any{}}, Job: record.Job{Launcher: "local", Ranks: 2}}); err != nil {
		t.Fatal(err)
	}
	for _, p := range points() {
		p.Run, p.Time = "r1", when
		if err := w.WritePoint(&p); err != nil {
			t.Fatal(err)
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
	err = Show(&o, &w, terminal.Terminal{}, f, files)
	return o.String(), w.String(), err
}

func TestShowDrawsTheSameTable(t *testing.T) {
	out, warnings, err := show(t, Text, written(t))
	if err != nil || warnings != "" {
		t.Fatal(err, warnings)
	}
	if want := draw(t, terminal.Terminal{}); !strings.HasSuffix(out, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", out, want)
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

func TestShowCSVHasOneRowForEachPoint(t *testing.T) {
	path := written(t)
	out, _, err := show(t, CSV, path, path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+2*len(points()) {
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
	if !strings.Contains(warnings, "incomplete") || !strings.Contains(out, "pingpong") || strings.Contains(out, "uniband") {
		t.Errorf("warnings %q, output\n%s", warnings, out)
	}
}

func TestShowPrintsWhatStandsBeforeAnUnreadableLine(t *testing.T) {
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
