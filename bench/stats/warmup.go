package stats

import (
	"math"
	"slices"
)

// Bounds of Warmup.
const (
	warmupLeast = 5     // so many first samples are always dropped
	warmupParts = 1024  // the series is looked at as so many medians of blocks
	warmupRank  = 3.5   // standard deviations of the rank sum that are no chance
	warmupAlpha = 0.001 // level of the change-point test
	warmupMove  = 0.01  // changes of the median below this share do not matter
)

// Warmup says how many of the first samples belong to the warm-up, and
// whether the rest has settled. Samples are in the order in which they were
// taken. drop is at least 5 once there are enough samples, and never leaves
// fewer than MinSamples; with fewer than that nothing has settled.
//
// Method: the last window (half of the samples, MinSamples at least) has
// settled if Pettitt's test finds no change point in it (Pettitt 1979, A
// non-parametric approach to the change-point problem; it finds trends too). The
// warm-up is then what the distribution-free CUSUM of ranks against that window
// (McGilchrist and Woodyer 1975) marks at the beginning. A change counts only if it
// also moves the median by 1 %. Long series are first made into medians of blocks, which
// also takes out short-range correlation.
func Warmup(samples []float64) (drop int, settled bool) {
	n := len(samples)
	if n < MinSamples+warmupLeast {
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

	if at, p := pettitt(last); p < warmupAlpha && moved(last[:at], last[at:]) {
		return max(warmupLeast, start*size), false
	}
	if at := rankChange(series[:start], last); at > 0 && moved(series[:at], last) {
		drop = at * size
	}
	return min(max(drop, warmupLeast), n-MinSamples), true
}

// moved reports whether the medians of two parts differ enough to matter.
func moved(a, b []float64) bool {
	before, after := median(a), median(b)
	return math.Abs(before-after) > warmupMove*math.Abs(after)
}

// pettitt returns the most likely change point of a series and the
// approximate p-value of there being none. The new level begins at index at.
func pettitt(series []float64) (at int, p float64) {
	n := float64(len(series))
	u, most := 0.0, 0.0
	for i, r := range ranks(series) {
		u += 2*r - (n + 1)
		if a := math.Abs(u); a > most {
			most, at = a, i+1
		}
	}
	return at, min(1, 2*math.Exp(-6*most*most/(n*n*n+n*n)))
}

// rankChange returns how many values at the beginning of head are not like
// those of reference: where the sum of their ranks among reference is the most
// standard deviations from what chance gives, if it is far enough. 0 = none.
func rankChange(head, reference []float64) int {
	sorted := slices.Clone(reference)
	slices.Sort(sorted)
	n := float64(len(sorted))
	sum, most, at := 0.0, warmupRank, 0
	for i, x := range head {
		below, _ := slices.BinarySearch(sorted, x)
		upTo, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		sum += float64(below+upTo)/2/n - 0.5 // uniform in -1/2..1/2: variance 1/12
		k := float64(i + 1)
		if z := math.Abs(sum) / math.Sqrt(k/12); z > most {
			most, at = z, i+1
		}
	}
	return at
}

// blockMedians returns the median of each whole block of size values.
func blockMedians(samples []float64, size int) []float64 {
	if size == 1 {
		return samples
	}
	medians := make([]float64, 0, len(samples)/size)
	for block := range slices.Chunk(samples, size) {
		if len(block) == size {
			medians = append(medians, median(block))
		}
	}
	return medians
}

// median of values, which are not modified.
func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ranks from 1; equal values share the middle of theirs.
func ranks(series []float64) []float64 {
	n := len(series)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if series[a] < series[b] {
			return -1
		}
		if series[a] > series[b] {
			return 1
		}
		return 0
	})
	r := make([]float64, n)
	for i := 0; i < n; {
		j := i
		for j < n && series[order[j]] == series[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return r
}
