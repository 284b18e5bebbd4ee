package compare

import (
	"slices"
	"testing"

	"gobench/record"
)

// Launches with another placement of the ranks on hosts are other cells, also if no rank is pinned
// to a core, and no gate compares them.
func TestPlacementsOnHostsSeparateCells(t *testing.T) {
	on := func(s Source, every int, hosts ...int) Source {
		for i := 0; i < len(s.File.Runs); i += every {
			s.File.Runs[i].Job.Ranks, s.File.Runs[i].Job.Hosts = len(hosts), hosts
		}
		return s
	}
	fill := on(campaign{name: "a", launches: 8, sizes: 1}.source(1), 1, 0, 0, 1, 1)
	mixed := on(on(campaign{name: "b", launches: 8, sizes: 1}.source(2), 1, 0, 0, 1, 1), 2, 0, 1, 0, 1)
	if r := mustCompare(t, Options{By: "map"}, mixed); len(r.Rows) != 1 || r.Rows[0].NA != 4 || r.Rows[0].NB != 4 {
		t.Errorf("by map: %+v", r.Rows)
	}
	if r := mustCompare(t, Options{}, fill, mixed); len(r.Rows) != 1 || r.Rows[0].NB != 4 {
		t.Errorf("launches of another map are in the cell: %+v", r.Rows)
	}
	spread := on(campaign{name: "c", launches: 8, sizes: 1}.source(3), 1, 0, 1, 0, 1)
	if r := mustCompare(t, Options{Gate: true}, fill, spread); r.differentMachines() != "the machines of the sides differ in host.map" {
		t.Errorf("unlike maps: %q", r.differentMachines())
	}
}

// TestMachinesOfSeveralHosts compares all hosts of a run, in any order, and their number.
func TestMachinesOfSeveralHosts(t *testing.T) {
	of := func(models ...string) facts {
		var r record.Run
		for _, m := range models {
			r.Hosts = append(r.Hosts, map[string]any{"cpu": map[string]any{"model": m}})
		}
		return factsOf(&r, &record.Launch{}, map[uintptr]facts{}).machine()
	}
	for _, c := range []struct {
		a, b facts
		want []string
	}{
		{of("Zen", "Xeon"), of("Xeon", "Zen"), nil},
		{of("Zen", "Zen"), of("Zen", "Xeon"), []string{"host.cpu.model"}},
		{of("Zen"), of("Zen", "Zen"), []string{hostCount}},
		{of(), of("Zen"), nil}, // files that name no host
	} {
		if got := unlike(c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v differ in %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
