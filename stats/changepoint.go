package stats

import (
	"cmp"
	"math"
	"slices"

	"gobench/internal/collect"
)

// pettitt returns the most likely change point of a series and the approximate p-value of the
// hypothesis that there is none. The new level begins at index at. tau is the autocorrelation time
// of the ranks without the change.
//
// Source: Pettitt 1979, A non-parametric approach to the change-point problem: the largest |U|,
// where U is the sum of ranks up to a point minus its expectation. Correlated noise increases |U|,
// so U is divided by the square root of tau.
func pettitt(series []float64) (at int, p, tau float64) {
	n := float64(len(series))
	r := ranks(series)
	u, largest := 0.0, 0.0
	for i := range r {
		u += 2*r[i] - (n + 1)
		if a := math.Abs(u); a > largest {
			largest, at = a, i+1
		}
	}
	tau = 1
	detrend(r[:at])
	detrend(r[at:])
	if centre(r) > 0 {
		tau = max(1, correlationTime(r))
	}
	return at, min(1, 2*math.Exp(-6*largest*largest/tau/(n*n*n+n*n))), tau
}

// detrend subtracts the least-squares line.
func detrend(series []float64) {
	n := float64(len(series))
	sum, slope := 0.0, 0.0
	for i, x := range series {
		sum += x
		slope += x * (float64(i) - (n-1)/2)
	}
	if n > 1 {
		slope /= n * (n*n - 1) / 12
	}
	for i := range series {
		series[i] -= sum/n + slope*(float64(i)-(n-1)/2)
	}
}

// rankChange returns the number of values at the beginning of head that differ from those of
// reference, 0 if there are none. It is the point where the sum of their ranks among reference
// deviates most from its expectation, if the deviation is more than limit standard deviations at an
// autocorrelation time of tau.
//
// Source: McGilchrist and Woodyer 1975, Note on a distribution-free CUSUM technique.
func rankChange(head, reference []float64, tau, limit float64) int {
	sorted := slices.Sorted(slices.Values(reference))
	n := float64(len(sorted))
	sum, largest, at := 0.0, limit, 0
	for i, x := range head {
		below, _ := slices.BinarySearch(sorted, x)
		upTo, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		sum += float64(below+upTo)/2/n - 0.5 // uniform in -1/2..1/2: variance 1/12
		k := float64(i + 1)
		if z := math.Abs(sum) / math.Sqrt(k*tau/12); z > largest {
			largest, at = z, i+1
		}
	}
	return at
}

// ranks returns the ranks of a series from 1. Equal values have the mean of their ranks.
func ranks(series []float64) []float64 {
	n := len(series)
	order := collect.Range(n)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(series[a], series[b]) })
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
