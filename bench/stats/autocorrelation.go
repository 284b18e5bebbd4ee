package stats

import "slices"

// maxLagged bounds the length of the series whose autocorrelation is summed;
// a longer one is first averaged in blocks.
const maxLagged = 8192

// EffectiveN returns how many independent values would say as much about the
// median as samples do, which are in the order in which they were taken.
//
// Method: n over the integrated autocorrelation time of the indicator "above
// the median", because the variance of a median of dependent values is that
// of independent ones times 1 + 2 sum of the indicator's autocorrelations
// (Bickel and Lehmann 1979; Sen 1968), and because an indicator has no outliers.
// The sum is cut off by Geyer's initial monotone sequence (Geyer 1992, Practical
// Markov Chain Monte Carlo). It is never taken to be below 1, so that
// anticorrelation does not narrow an interval.
func EffectiveN(samples []float64) int {
	sorted := slices.Clone(samples)
	slices.Sort(sorted)
	return effectiveN(samples, sorted)
}

// effectiveN is EffectiveN where the sorted samples are at hand.
func effectiveN(samples, sorted []float64) int {
	n := len(samples)
	if n < 4 {
		return n
	}
	series := aboveMedian(samples, sorted)
	variance := centre(series)
	if variance == 0 {
		return n // constant: there is nothing to be uncertain about
	}
	tau := 1.0
	if n > maxLagged {
		// The variance of a mean is that of the block means over their number,
		// times the correlation that is left between blocks.
		size := (n + maxLagged - 1) / maxLagged
		series = blockMeans(series, size)
		blocks := centre(series)
		if blocks == 0 {
			return n
		}
		tau = float64(size) * blocks / variance
	}
	tau = max(1, tau*correlationTime(series))
	return max(1, int(float64(n)/tau))
}

// aboveMedian returns 1 for values above the median and 0 for values below.
// Values equal to it, many where the clock is coarse, go to the side that makes
// the halves more equal.
func aboveMedian(samples, sorted []float64) []float64 {
	n := len(sorted)
	m := sorted[n/2]
	first, _ := slices.BinarySearch(sorted, m)
	after := n
	if i := slices.IndexFunc(sorted[n/2:], func(x float64) bool { return x > m }); i >= 0 {
		after = n/2 + i
	}
	tiesAbove := n/2-first < after-n/2
	series := make([]float64, n)
	for i, x := range samples {
		if x > m || tiesAbove && x == m {
			series[i] = 1
		}
	}
	return series
}

// centre subtracts the mean and returns the variance.
func centre(series []float64) float64 {
	sum := 0.0
	for _, x := range series {
		sum += x
	}
	mean := sum / float64(len(series))
	squares := 0.0
	for i := range series {
		series[i] -= mean
		squares += series[i] * series[i]
	}
	return squares / float64(len(series))
}

// blockMeans averages whole blocks; a rest at the end is left out.
func blockMeans(series []float64, size int) []float64 {
	means := make([]float64, 0, len(series)/size)
	for block := range slices.Chunk(series, size) {
		if len(block) < size {
			break
		}
		sum := 0.0
		for _, x := range block {
			sum += x
		}
		means = append(means, sum/float64(size))
	}
	return means
}

// correlationTime returns 1 + 2 sum of autocorrelations of a centred series of
// non-zero variance, by Geyer's initial monotone sequence.
func correlationTime(series []float64) float64 {
	n := len(series)
	covariance := func(lag int) float64 {
		sum := 0.0
		for i, x := range series[:n-lag] {
			sum += x * series[i+lag]
		}
		return sum / float64(n)
	}
	zero := covariance(0)
	last := zero + covariance(1)
	if last <= 0 {
		return 0
	}
	sum := last
	for lag := 2; lag+1 < n; lag += 2 {
		pair := covariance(lag) + covariance(lag+1)
		if pair <= 0 {
			break
		}
		last = min(last, pair)
		sum += last
	}
	return 2*sum/zero - 1
}
