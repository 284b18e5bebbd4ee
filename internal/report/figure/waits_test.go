package figure_test

import (
	"math"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
)

// The figure of waits has a bar for each run over several hosts, with the rest of the run first.
// Runs on one host have no waits.
func TestWaitsAreSharesOfTheRun(t *testing.T) {
	figures := figure.Waits(set(figuretest.Waits(), figuretest.Kernels()))
	if len(figures) != 1 || figures[0].Name != "cg-waits" || len(figures[0].Keys) != 3 {
		t.Fatalf("%+v, want one figure of cg with three keys", figures)
	}
	bars := 0
	for _, l := range figures[0].Rows[0][0].Layers {
		bar, is := l.(figure.Stack)
		if !is {
			continue
		}
		bars++
		for i, want := range []float64{80, 5, 15} {
			if got := bar.Parts[i].Share; math.Abs(got-want) > 1e-9 {
				t.Errorf("part %q is %v %% of the run, want %v", bar.Parts[i].Text, got, want)
			}
		}
	}
	if bars != 2 {
		t.Errorf("%d bars, want those of 8 and 16 ranks", bars)
	}
}
