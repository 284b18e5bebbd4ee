package importer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gobench/record"
)

// A launch is new once: neither if the file has it, also under the ID of former versions, nor if
// two logs have a record of gobench, or one log is given twice.
func TestFreshLaunches(t *testing.T) {
	launch := func(id, sum string) Imported {
		return Imported{Run: record.Run{ID: id, Source: &record.Source{SHA256: sum}}, Points: []record.Point{{Metrics: record.ValuesOf(map[string]record.Value{"t_s": {Median: 1, N: 1}})}}}
	}
	sum := func(c byte) string { return string(slices.Repeat([]byte{c}, 64)) }
	held := &record.File{Runs: []record.Run{
		{ID: "a1", Source: &record.Source{Name: "old.log"}}, {ID: "measured"}, {ID: formerID(sum('f')), Source: &record.Source{Name: "former.log"}},
	}}
	logs := []Log{
		{Name: "a.log", Launches: []Imported{launch("a1", sum('a')), launch("a2", sum('a'))}},
		{Name: "b.log", Launches: []Imported{launch("a2", sum('b'))}},
		{Name: "c.log", Launches: []Imported{launch("c1", sum('c'))}},
		{Name: "d.log", Launches: []Imported{launch("d1", sum('f'))}},
	}
	fresh, repeats, copies := Fresh(logs, held, false)
	if copies != 0 {
		t.Errorf("%d copies", copies)
	}
	var ids []string
	for _, l := range fresh {
		ids = append(ids, l.Run.ID)
	}
	if want := []string{"a2", "c1"}; !slices.Equal(ids, want) {
		t.Errorf("fresh are %q, want %q", ids, want)
	}
	if want := []Repeat{{"a.log", 1, 2, "old.log"}, {"b.log", 1, 1, "a.log"}, {"d.log", 1, 1, "former.log"}}; !slices.Equal(repeats, want) {
		t.Errorf("repeated are %+v, want %+v", repeats, want)
	}
}

// Logs with equal text are one launch, those that have grown add what is new, and distinct ones of
// several files, which are not one file by two names, are a launch each.
func TestLogsThatPrintTheSame(t *testing.T) {
	const text = "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n8    1.00\n"
	dir := t.TempDir()
	log := func(name, text string) Log {
		path := filepath.Join(dir, name)
		err := os.WriteFile(path, []byte(text), 0o644)
		launches, wrong := Import(path, []byte(text), Given{})
		if err := errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		return Log{path, launches}
	}
	a, b, longer, d := log("a", text), log("b", text), log("c", text+text), log("d", text)
	link, twice := log("link", text), a
	if err := errors.Join(os.Remove(link.Name), os.Symlink(a.Name, link.Name)); err != nil {
		t.Fatal(err)
	}
	twice.Name = dir + "/./a"
	type step struct {
		logs          []Log
		fresh, copies int
	}
	for distinct, steps := range map[bool][]step{
		false: {{[]Log{a, twice, link}, 1, 0}, {[]Log{a, b, longer, d}, 1, 3}, {[]Log{longer, d}, 0, 2}},
		true:  {{[]Log{a, twice, link, b}, 2, 0}, {[]Log{d, longer, a}, 3, 0}, {[]Log{a, b, d, longer, link}, 0, 0}, {[]Log{{stdinName, a.Launches}}, 1, 0}},
	} {
		var held record.File
		series, ids := map[string]bool{}, map[string]bool{}
		for i, want := range steps {
			fresh, _, copies := Fresh(want.logs, &held, distinct)
			for _, l := range fresh {
				held.Runs = append(held.Runs, l.Run)
				series[l.Run.Series], ids[l.Run.ID] = true, true
				if l.Points[0].Run != l.Run.ID {
					t.Errorf("a point of %s in %s", l.Points[0].Run, l.Run.ID)
				}
			}
			if len(fresh) != want.fresh || copies != want.copies || len(series) != 1 || len(ids) != len(held.Runs) {
				t.Errorf("distinct %v, %d: %d are fresh, %d copies, in %d series, want %d and %d", distinct, i, len(fresh), copies, len(series), want.fresh, want.copies)
			}
		}
	}
}
