package cell_test

import (
	"testing"

	"gobench/internal/report/cell"
	"gobench/record"
)

func TestProblemNames(t *testing.T) {
	for want, p := range map[string]record.Point{
		"class A":                       {Class: "A"},
		"huge":                          {Class: "huge"},
		"512 x 512, 500 steps, float32": {Grid: "512x512", Steps: 500, Real: "single"},
		"64 x 32, 7 steps, float64":     {Grid: "64x32", Steps: 7, Real: "double"},
		"":                              {},
	} {
		if got := cell.ProblemName(cell.Point{Point: &p}); got != want {
			t.Errorf("%q, want %q", got, want)
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
