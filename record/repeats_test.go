package record_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

// results returns a file with a point of each size, whose times are in microseconds.
func results(run string, us float64, sizes ...int64) *record.File {
	f := &record.File{Runs: []record.Run{{ID: run, Time: time.Unix(1, 0), Command: []string{"gobench"}, Job: record.Job{Launcher: "local", Ranks: 2}}}}
	for _, size := range sizes {
		f.Points = append(f.Points, record.Point{
			Run: run, Time: time.Unix(2, 0), Bench: "pingpong", Transport: "smem", Level: "device", Size: size, Ranks: 2, RankKind: "process", Iterations: 100,
			Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: us * 1e-6, N: 100}}),
		})
	}
	return f
}

func write(t *testing.T, path string, files ...*record.File) {
	t.Helper()
	w, err := record.Open(path)
	for _, f := range files {
		for i := range f.Runs {
			if err == nil {
				err = w.WriteRun(&f.Runs[i])
			}
		}
		for i := range f.Points {
			if err == nil {
				err = w.WritePoint(&f.Points[i])
			}
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Rows that are read twice count once: of a file that holds another one twice, of a copy, and of a
// file that goes on from another one. The warnings name both.
func TestRepeatedRowsAreDropped(t *testing.T) {
	for _, c := range []struct {
		name  string
		files [][]*record.File // contents of a.jsonl, b.jsonl
		runs  []string
		want  []string
	}{
		{"different", [][]*record.File{{results("1", 1, 8, 16)}, {results("2", 1, 8, 16)}}, []string{"1", "1", "2", "2"}, nil},
		{"twice in a file", [][]*record.File{{results("1", 1, 8, 16), results("1", 1, 8, 16)}}, []string{"1", "1"},
			[]string{"a.jsonl: 2 results are repeated in it; each counts once"}},
		{"a copy", [][]*record.File{{results("1", 1, 8, 16)}, {results("1", 1, 8, 16)}}, []string{"1", "1"},
			[]string{"b.jsonl is left out: a.jsonl has the same results"}},
		{"a longer copy", [][]*record.File{{results("1", 1, 8)}, {results("1", 1, 8), results("2", 3, 8)}}, []string{"1", "2"},
			[]string{"b.jsonl: 1 result is also in a.jsonl; each counts once"}},
		{"the same cell with another value", [][]*record.File{{results("1", 1, 8), results("1", 2, 8)}}, []string{"1", "1"}, nil},
	} {
		dir := t.TempDir()
		for i, contents := range c.files {
			write(t, filepath.Join(dir, string(rune('a'+i))+".jsonl"), contents...)
		}
		f, err := record.LoadResults(dir)
		if err != nil {
			t.Fatal(err)
		}
		var runs []string
		for _, p := range f.Points {
			runs = append(runs, p.Run)
		}
		said := strings.Split(strings.ReplaceAll(strings.Join(f.Warnings, "\n"), dir+string(os.PathSeparator), ""), "\n")
		if !slices.Equal(runs, c.runs) || !slices.Equal(said, append([]string{}, strings.Split(strings.Join(c.want, "\n"), "\n")...)) {
			t.Errorf("%s: runs %q, want %q; warnings %q, want %q", c.name, runs, c.runs, said, c.want)
		}
	}
}

// A file of which points remain keeps the run and the launch of them, each once, whatever file was
// read before. The rows of a file that has no more points are dropped.
func TestRemainingPointsKeepTheirRun(t *testing.T) {
	part, whole, again := results("1", 1, 8), results("1", 1, 8, 16), results("1", 1, 8)
	for _, f := range []*record.File{part, whole, again} {
		f.Runs[0].Series = "s"
		f.Runs = append(f.Runs, f.Runs[0])
		f.Launches = []record.Launch{{Run: "1", Series: "s", Launch: 1, Block: 1}, {Run: "1", Series: "s", Launch: 1, Block: 1}}
	}
	var seen record.Repeats
	for i, f := range []*record.File{part, whole, again} {
		seen.Drop(f, string(rune('a'+i)))
		if want := min(1, 2-i); len(f.Points) != want || len(f.Runs) != want || len(f.Launches) != want {
			t.Errorf("file %d has %d points, %d runs, %d launches; want %d", i, len(f.Points), len(f.Runs), len(f.Launches), want)
		}
	}
}

// A log that is imported again is the same launch, though it may have another date.
func TestALogImportedAgainIsRepeated(t *testing.T) {
	first, again := results("log-1", 1, 8), results("log-1", 1, 8)
	again.Points[0].Time = time.Unix(99, 0)
	var seen record.Repeats
	seen.Drop(first, "a")
	seen.Drop(again, "b")
	if len(first.Points) != 1 || len(again.Points) != 0 || len(again.Runs) != 0 {
		t.Errorf("%d and %d points, %d runs", len(first.Points), len(again.Points), len(again.Runs))
	}
}
