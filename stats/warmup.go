package stats

import (
	"math"
	"slices"
)

// Bounds of Warmup.
const (
	warmupMin   = 5     // first samples that are always dropped
	warmupParts = 1024  // maximum number of blocks whose medians represent a longer series
	warmupRank  = 3.5   // limit of the rank sum, in standard deviations
	warmupAlpha = 0.001 // level of the change-point test
	warmupMove  = 0.01  // changes of the median below this share do not matter
)

// Warmup returns how many of the first samples belong to the warm-up, and whether the rest has
// settled. Samples are in the order in which they were taken. drop is at least 5 once there are
// enough samples, and at least MinSamples remain. With fewer samples than that, settled is false.
//
// Method: the last window (half of the samples, at least MinSamples) has settled if Pettitt's test
// finds no change point or trend in it. The warm-up is then the beginning of the series that a
// distribution-free CUSUM of ranks distinguishes from that window. Both allow for autocorrelated
// noise, and a change counts only if it moves the median by 1 %. Long series are replaced by the
// medians of blocks.
func Warmup(samples []float64) (drop int, settled bool) {
	n := len(samples)
	if n < MinSamples+warmupMin {
		return 0, false
	}
	for _, x := range samples {
		if math.IsNaN(x) {
			return 0, false
		}
	}
	size := (n + warmupParts - 1) / warmupParts
	series := blockMedians(samples, size)
	window := max(MinSamples, len(series)/2)
	start := len(series) - window
	last := series[start:]

	at, p, tau := pettitt(last)
	if p < warmupAlpha && moved(last[:at], last[at:]) {
		return max(warmupMin, start*size), false
	}
	if at = rankChange(series[:start], last, tau, warmupRank); at > 0 && moved(series[:at], last) {
		drop = at * size
	}
	return min(max(drop, warmupMin), n-MinSamples), true
}

// moved reports whether the medians of two parts differ by more than warmupMove.
func moved(a, b []float64) bool {
	before, after := Median(a), Median(b)
	return math.Abs(before-after) > warmupMove*math.Abs(after)
}

// blockMedians returns the median of each whole block of size values.
func blockMedians(samples []float64, size int) []float64 {
	if size == 1 {
		return samples
	}
	medians := make([]float64, 0, len(samples)/size)
	for block := range slices.Chunk(samples, size) {
		if len(block) == size {
			medians = append(medians, Median(block))
		}
	}
	return medians
}
