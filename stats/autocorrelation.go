package stats

import (
	"math"
	"slices"
)

// maxLagged bounds the length of a series whose autocorrelations are summed. A longer one is first
// averaged in blocks.
const maxLagged = 8192

// Bounds of effectiveN, chosen by simulation (TestIntervalsCover).
const (
	timeBatches  = 10  // batches whose means show correlation that is lost in the noise of single lags
	timeExcess   = 2.5 // limit of the excess variance of their means; 0.8 % of independent samples exceed it
	timeError    = 3   // 1.5 standard errors of a correlation time tau, in units of tau sqrt(tau/n)
	visitBatches = 32  // batches whose means show the states of a sample
	visitExcess  = 1.8 // limit of the excess variance of their means; 0.4 % of independent samples exceed it
	minVisits    = 8   // minimum number of visits for which the correlation time is valid
)

// effectiveN returns the number of independent values with as much information about the median as
// samples, which are in the order in which they were taken; sorted has the same values in ascending
// order. It is conservative: n over an upper estimate of the autocorrelation time.
//
// Method: the variance of a median of dependent values equals that of independent ones times the
// integrated autocorrelation time 1 + 2 sum of autocorrelations of the indicator "above the median"
// (Bickel and Lehmann 1979; Sen 1968). The sum is truncated by Geyer's initial monotone sequence
// (Geyer 1992, Practical Markov Chain Monte Carlo). Correlation is underestimated in short samples,
// so the estimate is an upper one in three ways:
//   - it is the largest of the times of the indicator, of the ranks, which have less noise, and of
//     the means of ten batches of ranks, if these vary more than by chance;
//   - its excess over 1 is raised by one and a half standard errors; one is about 2 tau
//     sqrt(tau/n) (Sokal 1997, Monte Carlo Methods in Statistical Mechanics, equation 3.19, with
//     a window of 1.25 tau);
//   - it is at least 1, so that anticorrelation does not narrow an interval.
//
// A sample does not show states that did not occur in it: a sample between two changes of the state
// appears independent. Only other launches show such changes.
func effectiveN(samples, sorted []float64) int {
	if len(samples) < 4 {
		return len(samples)
	}
	n := float64(len(samples))
	tau := max(1, integratedTime(aboveMedian(samples, sorted)))
	r := sharesBelow(samples, sorted)
	tau = max(tau, batchTime(r))
	limit := visits(r)
	tau = max(tau, integratedTime(r)) // modifies r
	tau = 1 + (tau-1)*(1+timeError*math.Sqrt(tau/n))
	return max(1, min(limit, int(n/tau)))
}

// integratedTime returns the autocorrelation time of a series, 0 if it is constant. It modifies the
// series.
func integratedTime(series []float64) float64 {
	variance := centre(series)
	if variance == 0 {
		return 0
	}
	n := len(series)
	if n <= maxLagged {
		return correlationTime(series)
	}
	// The variance of a mean equals that of the block means divided by their number, times the
	// autocorrelation time of the blocks.
	size := (n + maxLagged - 1) / maxLagged
	series = blockMeans(series, size)
	blocks := centre(series)
	if blocks == 0 {
		return 0
	}
	return float64(size) * blocks / variance * correlationTime(series)
}

// batchTime returns the autocorrelation time of a series from the variance of batch means
// (Schmeiser 1982, Batch size effects in the analysis of simulation output), or 0 if chance
// explains that variance.
func batchTime(series []float64) float64 {
	if _, tau := batches(series, timeBatches); tau > timeExcess {
		return tau
	}
	return 0
}

// visits returns the number of visits of a series to a high or low state if they are too few for a
// correlation time, else the length of the series. A sample with one change of state counts as two
// values, independent of the place of the change.
func visits(series []float64) int {
	means, excess := batches(series, visitBatches)
	if excess < visitExcess {
		return len(series)
	}
	between := (slices.Min(means) + slices.Max(means)) / 2
	n := 1
	for i := range means[1:] {
		if (means[i] > between) != (means[i+1] > between) {
			n++
		}
	}
	if n >= minVisits {
		return len(series)
	}
	return n
}

// batches returns the means of k batches of a series, and their variance divided by that of
// independent values, 0 if the series is constant or too short.
func batches(series []float64, k int) (means []float64, excess float64) {
	size := len(series) / k
	_, variance := moments(series)
	if size < 2 || variance == 0 {
		return nil, 0
	}
	means = blockMeans(series, size)[:k]
	_, between := moments(means)
	return means, float64(size) * between * float64(k) / float64(k-1) / variance
}

// sharesBelow returns the ranks of samples as shares of the sample: the number of values below plus
// half of the equal ones, divided by n.
func sharesBelow(samples, sorted []float64) []float64 {
	n := float64(len(sorted))
	series := make([]float64, len(samples))
	for i, x := range samples {
		first, _ := slices.BinarySearch(sorted, x)
		after := first + 1
		if after < len(sorted) && sorted[after] == x {
			after, _ = slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		}
		series[i] = float64(first+after) / 2 / n
	}
	return series
}

// aboveMedian returns 1 for values above the median and 0 for values below. Values equal to it, of
// which a coarse clock has many, are assigned to one side, so that the halves are as equal as
// possible.
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
	mean, variance := moments(series)
	for i := range series {
		series[i] -= mean
	}
	return variance
}

// moments returns mean and variance of a series.
func moments(series []float64) (mean, variance float64) {
	for _, x := range series {
		mean += x
	}
	mean /= float64(len(series))
	for _, x := range series {
		variance += (x - mean) * (x - mean)
	}
	return mean, variance / float64(len(series))
}

// blockMeans returns the means of whole blocks of size values. A rest at the end is left out.
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
