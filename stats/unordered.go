package stats

import "slices"

// Unordered is Launches for values whose order of measurement is not known, such as those of logs
// without dates: there is no estimate of their correlation, and no test of a drift. The values are
// not modified.
func Unordered(medians []float64) Summary {
	sorted := slices.Sorted(slices.Values(medians))
	// Values of the lower and the upper half in turn have no positive correlation.
	turns := make([]float64, 0, len(sorted))
	for i, half := 0, (len(sorted)+1)/2; i < half; i++ {
		turns = append(turns, sorted[i])
		if half+i < len(sorted) {
			turns = append(turns, sorted[half+i])
		}
	}
	return Launches(turns)
}
