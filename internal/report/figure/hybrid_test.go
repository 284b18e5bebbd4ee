package figure_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
)

// The figure of ranks and threads has a row for each code, among them the one without zones, and in
// both panels of BT-MZ a line for each number of threads and one for threads alone. Speedup is
// against one core, and in the same place for two ranks and two threads.
func TestHybridLinesMeetAtTheirCores(t *testing.T) {
	figures := figure.Hybrid(set(figuretest.Hybrid()))
	if len(figures) != 1 || len(figures[0].Rows) != 2 {
		t.Fatalf("%d figures, want one of two rows", len(figures))
	}
	f := figures[0]
	var names []string
	for _, k := range f.Keys {
		names = append(names, k.Name)
	}
	if want := []string{"1 thread per rank", "2 threads per rank", "4 threads per rank", "threads alone", "ideal"}; !slices.Equal(names, want) {
		t.Errorf("lines %q, want %q", names, want)
	}
	at := map[float64][]float64{}
	for _, l := range f.Rows[1][1].Layers {
		if c, ok := l.(figure.Curve); ok {
			for _, p := range c.Cells {
				at[p.X] = append(at[p.X], math.Round(1000*p.Median)/1000)
			}
		}
	}
	for x := range at {
		slices.Sort(at[x])
	}
	want := map[float64][]float64{1: {1, 1}, 2: {1.9, 1.9, 1.94}, 4: {3.4, 3.4, 3.64, 3.68}}
	if d := cmp.Diff(want, at); d != "" {
		t.Errorf("speedups (-want +got):\n%s", d)
	}
}

// Labels of axes are in the unit of the program, and say what a number of a side counts.
func TestLabelsOfPrograms(t *testing.T) {
	labels := map[string]string{}
	for _, f := range slices.Concat(figure.Tails(drawn["hybrid"]), figure.Ratios(drawn["hybrid"])) {
		labels[f.Name] = f.Rows[0][0].YLabel + f.Rows[len(f.Rows)-1][0].XLabel
	}
	for name, want := range map[string]string{"bt-tails": "time of a run, s", "bt-mz-ratio-2": "time of threads 2 / time of threads 1 (left of 1: threads 2 is faster)"} {
		if !strings.HasPrefix(labels[name], want) {
			t.Errorf("%s is labelled %q, want %q", name, labels[name], want)
		}
	}
	if one := figure.Combined(drawn["pairs"]); one[0].Rows[0][0].Right != nil {
		t.Error("ping-pong without long messages has an axis of bandwidth")
	}
}
