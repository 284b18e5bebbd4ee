package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gobench/internal/collect"
	"gobench/record"
	"gobench/stats"
)

// power is the probability that a slowdown of Row.Detectable is detected.
const power = 0.9

// detectable returns the slowdown that a row would have shown at the significance level alpha: half
// the width of the interval at that level, or the minimum if that is greater, plus a margin with
// which the estimate exceeds it in nine of ten cases.
func (r *Row) detectable(alpha float64) float64 {
	if r.Level != Launches || r.Why != "" || r.MinP() >= alpha {
		return math.Inf(1)
	}
	deciding, _ := r.interval(1 - alpha)
	usual, attained := r.interval(stats.Level)
	if attained < stats.Level-0.001 || !(deciding.Lo > 0 && usual.Lo > 0) {
		return math.Inf(1)
	}
	sigma := math.Log(usual.Hi/usual.Lo) / 2 / distuv.UnitNormal.Quantile((1+stats.Level)/2)
	smallest := max(math.Log(deciding.Hi/deciding.Lo)/2, math.Log1p(r.Threshold))
	return math.Expm1(smallest + distuv.UnitNormal.Quantile(power)*sigma)
}

// Needed returns the number of launches of each side with which a gate detects a slowdown of
// o.Detect in at least half of the cells. It is estimated from the launches of these cells in file.
// takeTurns states that the launches of the sides alternate; otherwise more are needed. ok is false
// if no cell has two launches, or if no number of launches suffices because sessions differ by more
// than the slowdown.
func Needed(file *record.File, o Options, takeTurns bool) (launches int, ok bool) {
	o.Gate = true
	if o.fill() != nil {
		return 0, false
	}
	c := newCollection(o)
	c.addRuns(file)
	var cells [][]launch
	for _, points := range c.ofCells(file) {
		if metric, points, _ := c.metric(points, nil); points != nil {
			if list := launchesOf(points, metric.Key); len(list) > 1 {
				cells = append(cells, list)
			}
		}
	}
	if len(cells) == 0 {
		return 0, false
	}
	ρ := correlation(cells)
	for n := minLaunches; n <= maxLaunches; n++ {
		λ := 1.0
		if !takeTurns {
			λ = widening(n, n, ρ, o.Floor, 0, planned(len(cells)))
		}
		blind := collect.If(cells, func(list []launch) bool {
			return plannedEffect(spread(list), λ, n, o.Alpha/float64(len(cells)), o.Minimum) > o.Detect
		})
		if !tooMany(len(blind), len(cells)) {
			return n, true
		}
	}
	return 0, false
}

// maxLaunches bounds the search of Needed.
const maxLaunches = 1000

// plannedEffect returns the relative slowdown that a row with n launches of each side will detect.
// spread is the standard deviation of the logarithms of the launches.
func plannedEffect(spread, widening float64, n int, alpha, minimum float64) float64 {
	if stats.MinP(n, n) >= alpha {
		return math.Inf(1)
	}
	// The variance of Hodges and Lehmann's estimate is π/3 of that of a difference of means.
	sigma := widening * spread * math.Sqrt(2*math.Pi/3/float64(n))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(2*n - 2)}
	return math.Expm1(max(t.Quantile(1-alpha/2)*sigma, math.Log1p(minimum)) + distuv.UnitNormal.Quantile(power)*sigma)
}

// spread returns the standard deviation of the logarithms of launches, estimated from the median
// difference of two of them, so that it is robust against one slow launch.
func spread(list []launch) float64 {
	return math.Log(stats.Spread(medians(list))) / (math.Sqrt2 * distuv.UnitNormal.Quantile(0.75))
}

// planned returns the expected result of scatterOf for two equal sides that are measured one after
// the other.
func planned(cells int) float64 {
	if cells < minApart {
		return math.Inf(1)
	}
	return apartMargin
}
