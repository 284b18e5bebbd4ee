package figure_test

import (
	"slices"
	"testing"

	"gobench/report/figure"
	"gobench/report/figure/figuretest"
)

// The figure of storage has the bandwidth in MB/s beside the rate, and in both panels a line for
// each way to write. Kernels that write nothing have none.
func TestStorageHasALineForEachWayToWrite(t *testing.T) {
	figures := figure.Storage(set(figuretest.Storage(), figuretest.Kernels()))
	if len(figures) != 1 || len(figures[0].Rows) != 1 || len(figures[0].Rows[0]) != 2 {
		t.Fatalf("%d figures, want one of two panels", len(figures))
	}
	f := figures[0]
	var names []string
	for _, k := range f.Keys {
		names = append(names, k.Name)
	}
	if want := []string{"full", "simple"}; !slices.Equal(names, want) {
		t.Errorf("lines %q, want %q", names, want)
	}
	var last []float64
	for _, l := range f.Rows[0][0].Layers {
		if c, ok := l.(figure.Curve); ok {
			last = append(last, c.Scale*c.Cells[len(c.Cells)-1].Median)
		}
	}
	if want := []float64{5600, 1600}; !slices.Equal(last, want) {
		t.Errorf("%v MB/s on four ranks, want %v", last, want)
	}
}
