package figure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// A launch of a pair of cores counts once, in the state in which most launches of the pair were.
func TestPairsCountALaunchOnce(t *testing.T) {
	f := figuretest.Pairs()
	for _, p := range slices.Clone(f.Points) {
		v := p.Metrics.Get("half_rtt_s")
		v.Median, v.Lo, v.Hi = 7*v.Median, 0, 0
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": v})
		p.Iterations = 1
		f.Points = append(f.Points, p) // a second row of the same launch and state, of fewer samples
	}
	s := cell.NewSet()
	s.Add("pairs.jsonl", f)
	h := figure.Pairs(s)[0].Rows[0][0].Layers[0].(figure.Heat)
	for _, text := range slices.Concat(h.Texts...) {
		if text != "" && !strings.Contains(text, "1 launch") {
			t.Error(text)
		}
	}
	if got := fmt.Sprintf("%.3g to %.3g", h.Lo, h.Hi); got != "0.1 to 0.4" {
		t.Errorf("%s µs, want 0.1 to 0.4", got)
	}
}
