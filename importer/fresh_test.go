package importer

import (
	"slices"
	"testing"

	"gobench/record"
)

// A launch is new once: neither if the file has it, also under the ID of former versions, nor if
// two logs have a record of gobench, or one log is given twice. Logs that print the same are
// several launches.
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
	fresh, repeats, copies := Fresh(logs, held)
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

func TestLogsThatPrintTheSame(t *testing.T) {
	log := func(name, text string) Log {
		launches, err := Import(name, []byte(text), Given{})
		if err != nil {
			t.Fatal(err)
		}
		return Log{name, launches}
	}
	const text = "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n8    1.00\n"
	logs := func() []Log {
		return []Log{log("a", text), log("b", text), log("a", text), log("c", text+"16  2.00\n"), log("d", text)}
	}
	var held record.File
	for _, want := range []struct{ given, fresh, copies, series int }{{2, 2, 1, 1}, {5, 2, 1, 1}, {5, 0, 0, 1}} {
		fresh, _, copies := Fresh(logs()[:want.given], &held)
		for _, l := range fresh {
			held.Runs = append(held.Runs, l.Run)
			if l.Points[0].Run != l.Run.ID {
				t.Errorf("a point of %s in %s", l.Points[0].Run, l.Run.ID)
			}
		}
		series := map[string]bool{}
		ids := map[string]bool{}
		for _, r := range held.Runs {
			series[r.Series], ids[r.ID] = true, true
		}
		if len(fresh) != want.fresh || copies != want.copies || len(series) != want.series || len(ids) != len(held.Runs) {
			t.Errorf("of %d logs %d are fresh, %d copies, in %d series, want %+v", want.given, len(fresh), copies, len(series), want)
		}
	}
}
