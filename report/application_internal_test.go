package report

import "testing"

// A short run has as many digits as its interval needs: one digit beside ±2.9 % says nothing.
func TestSecondsOfShortRuns(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0000", 0.000293: "0.0002930", 0.0123456: "0.01235", 0.5: "0.5000", 12.34567: "12.3457", 1e-9: "0.00000000"} {
		if got := seconds(v); got != want || len(got) > secondsColumn.width {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
