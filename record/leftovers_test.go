package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// leftovers returns a file with a complete launch, a killed one, a point without a sweep, and a
// point of a self-test.
func leftovers() *File {
	iterations := int64(0)
	point := func(run string, launch int, warnings ...string) Point {
		p := *samplePoint()
		p.Run, p.Launch, p.Block, p.Warnings = run, launch, launch, warnings
		iterations++
		p.Iterations = iterations // no two are repeats
		return p
	}
	whole := *sampleLaunch()
	whole.Run = "whole"
	return &File{
		Points: []Point{
			point("whole", 1), point("killed", 2), point("killed", 2), point("whole", 1), point("alone", 0),
			point("tested", 0, "one", SelfTest+"every send is delayed on purpose"),
		},
		Launches: []Launch{whole},
	}
}

func runsOf(f *File) (runs []string) {
	for _, p := range f.Points {
		runs = append(runs, p.Run)
	}
	return runs
}

func TestLeftoversAreNoResults(t *testing.T) {
	f := leftovers()
	f.DropLeftovers()
	if d := cmp.Diff([]string{"whole", "whole", "alone"}, runsOf(f)); d != "" {
		t.Error(d)
	}
	want := []string{"2 results of 1 unfinished launch of a sweep left out", "1 result of self-tests (fault) left out"}
	if d := cmp.Diff(want, f.Warnings); d != "" {
		t.Error(d)
	}
	f.DropLeftovers()
	if len(f.Warnings) != 2 || len(f.Points) != 3 {
		t.Errorf("once more: %q", f.Warnings)
	}
}

// A failed launch of a command that is no sweep has no results. Other launches of its series have,
// and the launch with its number of another series.
func TestAFailedLaunchHasNoResults(t *testing.T) {
	point := func(run string, launch int) Point { return Point{Run: run, Launch: launch} }
	f := &File{
		Runs:     []Run{{ID: "one", Series: "s"}, {ID: "two", Series: "s"}, {ID: "more", Series: "s"}, {ID: "other", Series: "t"}, {ID: "none"}},
		Points:   []Point{point("one", 1), point("two", 2), point("more", 2), point("other", 2), point("none", 2)},
		Failures: []Failure{{Plan: "s", Launch: 2}, {Launch: 2}}, // the second is of an old file
	}
	f.DropLeftovers()
	if d := cmp.Diff([]string{"one", "other", "none"}, runsOf(f)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"2 results of failed launches left out"}, f.Warnings); d != "" {
		t.Error(d)
	}
}

// Without rows of launches, as in the output of show --json, all points are kept.
func TestAFileWithoutLaunchRowsIsKept(t *testing.T) {
	f := leftovers()
	f.Launches = nil
	f.DropLeftovers()
	if len(f.Points) != 5 || len(f.Warnings) != 1 {
		t.Errorf("%q, warnings %q", runsOf(f), f.Warnings)
	}
	f = leftovers()
	f.Launches, f.Plans = nil, []Plan{{}} // a sweep that was killed in its first launch
	f.DropLeftovers()
	if d := cmp.Diff([]string{"alone"}, runsOf(f)); d != "" {
		t.Error(d)
	}
}

// Each file of a directory is evaluated by its own rows.
func TestLoadResultsOfADirectory(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, f *File) {
		w, err := Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Points {
			err = errors.Join(err, w.WritePoint(&f.Points[i]))
		}
		for i := range f.Launches {
			err = errors.Join(err, w.WriteLaunch(&f.Launches[i]))
		}
		succeed(t, err, w.Close())
	}
	write("sweep.jsonl", leftovers())
	printed := leftovers()
	printed.Launches, printed.Points = nil, printed.Points[:4]
	for i := range printed.Points { // which are other measurements than those of sweep.jsonl
		printed.Points[i].Run += "-printed"
	}
	write("printed.jsonl", printed)
	f, err := LoadResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"whole-printed", "killed-printed", "killed-printed", "whole-printed", "whole", "whole", "alone"}, runsOf(f)); d != "" {
		t.Error(d)
	}
	name := filepath.Join(dir, "sweep.jsonl")
	want := []string{name + ": 2 results of 1 unfinished launch of a sweep left out", name + ": 1 result of self-tests (fault) left out"}
	if d := cmp.Diff(want, f.Warnings); d != "" {
		t.Error(d)
	}
	if _, err := LoadResults(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
