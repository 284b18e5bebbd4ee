package cell_test

import (
	"testing"

	"gobench/report/cell"
)

func TestBenchNames(t *testing.T) {
	for bench, want := range map[string]string{"pingpong": "Ping-pong", "cg": "CG", "npb/is": "IS", "bcast": "Bcast", "éa": "Éa", "": "", "ß": "ß"} {
		if got := cell.Capital(cell.BenchName(bench)); got != want {
			t.Errorf("%q: %q, want %q", bench, got, want)
		}
	}
}
