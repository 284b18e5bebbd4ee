package figure_test

import (
	"math"
	"slices"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
)

// The figure of storage has the bandwidth in MB/s beside the rate, that of reading below, and in
// all panels a line for each way to write. Kernels that write nothing have no line.
func TestStorageHasALineForEachMode(t *testing.T) {
	figures := figure.Storage(set(figuretest.Storage(), figuretest.Kernels()))
	if len(figures) != 1 || len(figures[0].Rows) != 2 || len(figures[0].Rows[0]) != 2 {
		t.Fatalf("%d figures, want one of three panels", len(figures))
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

// The bandwidth to files for its price has a panel for the first payment option and one for the
// others, and a line for each option and way to write. A node of 8 cores costs 2 USD/h on demand
// and 0.7 as a spot instance.
func TestBandwidthToFilesForItsPrice(t *testing.T) {
	figures := figure.Productivity(priced(figuretest.Storage()))
	at := slices.IndexFunc(figures, func(f *figure.Figure) bool { return f.Name == "bt-io-storage-class-A-productivity" })
	if at < 0 || len(figures[at].Rows[0]) != 2 {
		t.Fatalf("no figure of two panels in %d", len(figures))
	}
	var names []string
	for _, k := range figures[at].Keys {
		names = append(names, k.Name)
	}
	if want := []string{"full, on-demand", "simple, on-demand", "full, spot", "simple, spot"}; !slices.Equal(names, want) {
		t.Errorf("lines %q, want %q", names, want)
	}
	var last []float64
	for _, p := range figures[at].Rows[0] {
		for _, l := range p.Layers {
			if c, ok := l.(figure.Curve); ok {
				last = append(last, c.Cells[len(c.Cells)-1].Median)
			}
		}
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b }
	if want := []float64{5600 / 2., 1600 / 2., 5600 / 0.7, 1600 / 0.7}; !slices.EqualFunc(last, want, near) {
		t.Errorf("%v MB/s for 1 USD/h on four ranks, want %v", last, want)
	}
}

// Applications without a rate have the price of 1,000 runs over ranks, and collectives that of 10^9
// operations over sizes: 2 USD/h for a run of 100 s are 55.56 USD, and 18 runs for 1 USD.
func TestCostOfRunsAndOperations(t *testing.T) {
	figures := figure.Productivity(priced(figuretest.Kernels()))
	figures = append(figures, figure.Productivity(priced(figuretest.Collectives()))...)
	const bcast = 2*2e-7 + 4e-10 // of 4 B, two ranks
	for name, want := range map[string][2]float64{
		"fdtd-productivity":  {2 * 100 / 3.6, 18},
		"bcast-productivity": {2 * bcast / 3600 * 1e9, 3600 / (2 * bcast) / 1e6},
	} {
		at := slices.IndexFunc(figures, func(f *figure.Figure) bool { return f.Name == name })
		if at < 0 {
			var names []string
			for _, f := range figures {
				names = append(names, f.Name)
			}
			t.Errorf("no figure %s in %q", name, names)
			continue
		}
		for i, p := range figures[at].Rows[0] {
			k := slices.IndexFunc(p.Layers, func(l figure.Layer) bool { _, ok := l.(figure.Curve); return ok })
			if got := p.Layers[k].(figure.Curve).Cells[0].Median; math.Abs(got-want[i]) > 1e-9*want[i] {
				t.Errorf("%s, %s: %v, want %v", name, p.YLabel, got, want[i])
			}
		}
	}
}
