package cell_test

import (
	"testing"

	"gobench/report/cell"
)

func TestClassNames(t *testing.T) {
	for class, want := range map[string]string{"A": "class A", "512x512x500-single": "512 x 512, 500 steps, float32", "64x32x7-double": "64 x 32, 7 steps, float64", "huge": "huge", "": ""} {
		if got := cell.ClassName(class); got != want {
			t.Errorf("%q: %q, want %q", class, got, want)
		}
	}
}

func TestBenchNames(t *testing.T) {
	for bench, want := range map[string]string{"pingpong": "Ping-pong", "cg": "CG", "npb/is": "IS", "bcast": "Bcast", "éa": "Éa", "": "", "ß": "ß"} {
		if got := cell.Capital(cell.BenchName(bench)); got != want {
			t.Errorf("%q: %q, want %q", bench, got, want)
		}
	}
}
