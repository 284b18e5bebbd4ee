package importer

import (
	"slices"
	"testing"

	"gobench/record"
)

// A launch is new once: neither if the file has it, also under the ID of former versions, nor if
// two logs have it.
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
	fresh, repeats := Fresh(logs, held)
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
