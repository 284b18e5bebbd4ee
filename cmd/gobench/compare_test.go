package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/compare"
	"gobench/internal/exit"
	"gobench/internal/report/comparison"
	"gobench/record"
)

// launches writes eight launches of two sizes into a file. The times of the second size are
// multiplied by slow.
func launches(t *testing.T, path string, slow float64) string {
	t.Helper()
	w, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for launch := range 8 {
		id := fmt.Sprintf("%s-%d", filepath.Base(path), launch)
		err = errors.Join(err, w.WriteRun(&record.Run{ID: id, Time: begin, Command: []string{"gobench"}, Job: record.Job{Launcher: "local", Ranks: 2}}))
		for i, factor := range []float64{1, slow} {
			x := 1e-6 * factor * (1 + float64(launch*5%8)/2000)
			err = errors.Join(err, w.WritePoint(&record.Point{
				Run: id, Time: begin, Bench: "pingpong", Transport: "tcp", Level: "device", Size: int64(8 << i), Ranks: 2, RankKind: "process", Iterations: 100, Launch: launch + 1,
				Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: x, Lo: 0.99 * x, Hi: 1.01 * x, Confidence: 0.95, N: 100}}),
			}))
		}
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// The exit code of a gate follows from the records, and all requested forms are written.
func TestGate(t *testing.T) {
	dir := t.TempDir()
	old := launches(t, filepath.Join(dir, "old.jsonl"), 1)
	again := launches(t, filepath.Join(dir, "again.jsonl"), 1)
	slower := launches(t, filepath.Join(dir, "slower.jsonl"), 1.05)
	few := filepath.Join(dir, "few.jsonl")
	text, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(few, []byte(strings.Join(strings.SplitAfter(string(text), "\n")[:6], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		old    string
		new    string
		effect string
		want   compare.Conclusion
	}{
		{"as before", old, again, "2%", compare.Passed},
		{"a file with itself", old, old, "2%", compare.Noisy},
		{"5 % slower", old, slower, "2%", compare.Failed},
		{"5 % slower, which is allowed", old, slower, "", compare.Passed},
		{"too few launches", few, again, "2%", compare.Noisy},
	} {
		var a compareFlags
		a.options.Gate, a.effect.minimum = true, c.effect
		a.files = comparison.Files{JUnit: filepath.Join(dir, "out", "junit.xml"), Markdown: filepath.Join(dir, "out", "comment.md"), Benchfmt: filepath.Join(dir, "out")}
		var out, warnings bytes.Buffer
		err := a.compare([]string{c.old, c.new}, &out, &warnings)
		got := exitCode(err)
		if want := map[compare.Conclusion]int{compare.Failed: exit.Regression, compare.Noisy: exit.Noisy}[c.want]; got != want || !strings.Contains(out.String(), "# gate: ") || warnings.Len() > 0 {
			t.Errorf("%s: exit code %v, want %v\n%s%s", c.name, got, c.want, out.String(), warnings.String())
		}
		junit, err := os.ReadFile(a.files.JUnit)
		if err != nil || xml.Unmarshal(junit, new(struct{ XMLName xml.Name })) != nil {
			t.Errorf("%s: %v: %s", c.name, err, junit)
		}
		if comment, err := os.ReadFile(a.files.Markdown); err != nil || !bytes.Contains(comment, []byte("**"+string(c.want)+"**")) {
			t.Errorf("%s: %v: %s", c.name, err, comment)
		}
		if names, err := filepath.Glob(filepath.Join(dir, "out", "*.txt")); err != nil || len(names) == 0 {
			t.Errorf("%s: no file for benchstat: %v", c.name, err)
		}
	}
}

func TestMinimumEffect(t *testing.T) {
	for text, want := range map[string]float64{"5%": 0.05, "0.05": 0.05, " 2.5 % ": 0.025, "0": -1, "0%": -1} {
		var o compare.Options
		if err := (&effectFlags{minimum: text}).set(&o, nil); err != nil || o.Minimum != want {
			t.Errorf("%q: %v, %v, want %v", text, o.Minimum, err, want)
		}
	}
	for _, text := range []string{"%", "much", "-1%", "NaN", "1000%", "5%%"} {
		err := (&effectFlags{minimum: text}).set(new(compare.Options), nil)
		if _, ok := errors.AsType[*exit.UsageError](err); !ok {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// The same file twice is two sides, and the error names every unreadable file.
func TestSides(t *testing.T) {
	path := launches(t, filepath.Join(t.TempDir(), "a.jsonl"), 1)
	sources, _, err := compare.Load([]string{path, path, "/nowhere/1", "/nowhere/2"}, compare.Options{})
	if len(sources) != 4 || sources[1].Name != path+" (2)" || len(sources[1].File.Points) != 16 {
		t.Errorf("%+v", sources)
	}
	if err == nil || strings.Count(err.Error(), "no such file") != 2 {
		t.Errorf("error %v", err)
	}
}
