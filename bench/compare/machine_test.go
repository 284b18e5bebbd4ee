package compare

import (
	"slices"
	"testing"

	"gobench/bench/record"
)

// TestMachinesOfSeveralHosts compares all hosts of a run, in whatever order, and their number.
func TestMachinesOfSeveralHosts(t *testing.T) {
	of := func(models ...string) facts {
		var r record.Run
		for _, m := range models {
			r.Hosts = append(r.Hosts, map[string]any{"cpu": map[string]any{"model": m}})
		}
		return factsOf(&r).machine()
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
