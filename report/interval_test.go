package report

import (
	"testing"

	"gobench/record"
)

// An interval wider than requested is marked, unless its width alone shows it.
func TestMarksOfWideIntervals(t *testing.T) {
	for hi, want := range map[float64]string{1.01: "1.0 ", 1.5: "50.0!", 3: ">99 "} {
		p := record.Point{Precision: 0.02, Metrics: record.ValuesOf(map[string]record.Value{"t_s": {Median: 1, Lo: 1, Hi: hi, Confidence: 0.95}})}
		if got := interval(&p); got != want {
			t.Errorf("up to %g: %q, want %q", hi, got, want)
		}
	}
}
