package stats

import (
	"slices"
	"testing"
)

// A quantile is the least value that its share of the values does not exceed, for any number of
// values, and a percentile of a summary is the same.
func TestOneDefinitionOfQuantiles(t *testing.T) {
	for n := 1; n <= 3000; n += 1 + n/50 {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i*i) + 1
		}
		for _, of := range []struct{ share, whole int }{{1, 4}, {3, 4}, {9, 10}, {99, 100}, {999, 1000}} {
			want := values[slices.IndexFunc(values, func(v float64) bool {
				at, _ := slices.BinarySearch(values, v)
				return (at+1)*of.whole >= of.share*n
			})]
			if got := Quantile(values, float64(of.share)/float64(of.whole)); got != want {
				t.Fatalf("quantile %d/%d of %d values: %g, want %g", of.share, of.whole, n, got, want)
			}
		}
		s := Summarize(values)
		for q, got := range map[float64]float64{0.5: s.P50, 0.9: s.P90, 0.99: s.P99, 0.999: s.P999} {
			if want := Quantile(values, q); got != 0 && got != want {
				t.Fatalf("P%g of %d values: %g, want %g", 100*q, n, got, want)
			}
		}
	}
	for values, want := range map[[4]float64]float64{{1, 2, 3, 10}: 2.5, {1, 1, 4, 4}: 2.5} {
		if got := Median(values[:]); got != want {
			t.Errorf("median of %v: %g, want %g", values, got, want)
		}
	}
}
