package pairs

import (
	"cmp"
	"math"
	"slices"

	"gobench/internal/collect"
	"gobench/stats"
)

// An observation is the logarithm of a value between two hosts, the larger the worse.
type observation struct {
	from, to int
	class    int // distance of the hosts
	y        float64
	sample   int // its number in the study
}

// An effect is the deviation of one host from the median host, in units of the logarithm.
type effect struct {
	value float64
	se    float64 // standard error; +Inf without observations
	n     int     // observations with different partners
}

// A fit explains observations as y = class + out[from] + in[to] + residual. In a symmetric fit out
// and in are the same.
type fit struct {
	class   []float64
	out, in []effect
	sigma   float64   // robust standard deviation of the residuals
	spread  float64   // robust standard deviation of the effects beyond their errors
	rest    []float64 // residuals
}

const (
	fitTurns = 60   // at most
	fitLimit = 1e-6 // ends the iteration
	// madToSigma converts a median of absolute deviations of a normal distribution.
	madToSigma = 1.4826
	// medianError is the standard error of a median over that of a mean, for a normal distribution.
	medianError = 1.2533
)

// fitEffects fits n hosts by medians: each effect is the median of what the observations of the
// host leave once the effects of its partners are subtracted, until nothing changes. So less than
// half of the partners of a host may deviate. This is the median polish of Tukey (Exploratory Data
// Analysis, 1977) for tables in which most cells are empty.
func fitEffects(n, classes int, obs []observation, symmetric bool) fit {
	f := fit{class: make([]float64, classes), out: make([]effect, n), in: make([]effect, n), rest: make([]float64, len(obs))}
	byOut, byIn, byClass := make([][]int, n), make([][]int, n), make([][]int, classes)
	for k, o := range obs {
		byOut[o.from] = append(byOut[o.from], k)
		if symmetric {
			byOut[o.to] = append(byOut[o.to], k)
		} else {
			byIn[o.to] = append(byIn[o.to], k)
		}
		byClass[o.class] = append(byClass[o.class], k)
	}
	out, in := make([]float64, n), make([]float64, n)
	if symmetric {
		in = out
	}
	residual := func(k int) float64 {
		o := obs[k]
		return o.y - f.class[o.class] - out[o.from] - in[o.to]
	}
	var values []float64
	residualOf := func(list []int) float64 {
		values = values[:0]
		for _, k := range list {
			values = append(values, residual(k))
		}
		return stats.Median(values)
	}
	for c, list := range byClass {
		if len(list) > 0 {
			f.class[c] = residualOf(list)
		}
	}
	for range fitTurns {
		moved := 0.0
		for side, by := range [][][]int{byOut, byIn} {
			effects := [][]float64{out, in}[side]
			if symmetric && side == 1 {
				break
			}
			next := slices.Clone(effects)
			for i, list := range by {
				if len(list) == 0 {
					continue
				}
				// Half a step: hosts that see each other would overshoot together.
				step := residualOf(list) / 2
				next[i] += step
				moved = max(moved, math.Abs(step))
			}
			center := centerOf(next, by)
			for i, list := range by {
				if len(list) > 0 {
					next[i] -= center
				}
			}
			copy(effects, next)
		}
		for c, list := range byClass {
			if len(list) > 0 {
				step := residualOf(list)
				f.class[c] += step
				moved = max(moved, math.Abs(step))
			}
		}
		if moved < fitLimit {
			break
		}
	}
	for k := range obs {
		f.rest[k] = residual(k)
	}
	f.sigma = sigmaOf(f.rest)
	f.estimate(f.out, out, byOut)
	if symmetric {
		f.in = f.out
	} else {
		f.estimate(f.in, in, byIn)
	}
	f.spread = spreadOf(f.out)
	if !symmetric {
		f.spread = max(f.spread, spreadOf(f.in))
	}
	return f
}

func centerOf(values []float64, by [][]int) float64 {
	var present []float64
	for i, list := range by {
		if len(list) > 0 {
			present = append(present, values[i])
		}
	}
	return stats.Median(present)
}

// estimate sets the effects of hosts with their errors. The scale of a host's residuals is at least
// that of all, because few values estimate it badly.
func (f *fit) estimate(to []effect, values []float64, by [][]int) {
	var own []float64
	for i, list := range by {
		if len(list) == 0 {
			to[i] = effect{se: math.Inf(1)}
			continue
		}
		own = own[:0]
		for _, k := range list {
			own = append(own, f.rest[k])
		}
		to[i] = effect{value: values[i], se: medianError * max(f.sigma, sigmaOf(own)) / math.Sqrt(float64(len(list))), n: len(list)}
	}
}

// sigmaOf returns the robust standard deviation of values around their median.
func sigmaOf(values []float64) float64 {
	center := stats.Median(values)
	return madToSigma * stats.Median(collect.Each(values, func(v float64) float64 { return math.Abs(v - center) }))
}

// spreadOf returns the robust standard deviation of effects beyond what their errors explain.
func spreadOf(list []effect) float64 {
	var values, errors []float64
	for _, e := range list {
		if e.n > 0 {
			values, errors = append(values, e.value), append(errors, e.se)
		}
	}
	total, own := sigmaOf(values), stats.Median(errors)
	return math.Sqrt(max(0, total*total-own*own))
}

// logP returns the one-sided p-value of an effect under the hypothesis that the host belongs to the
// others.
func (f *fit) p(e effect) float64 {
	if e.n == 0 {
		return 1
	}
	scale := math.Hypot(e.se, f.spread)
	if scale == 0 {
		if e.value > 0 {
			return 0
		}
		return 1
	}
	return math.Erfc(e.value/scale/math.Sqrt2) / 2
}

// discoveries returns which of the p-values are rejected at a false discovery rate of q, by the
// procedure of Benjamini and Hochberg (1995).
func discoveries(p []float64, q float64) []bool {
	order := collect.Range(len(p))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(p[a], p[b]), a-b) })
	found := make([]bool, len(p))
	for k := len(order) - 1; k >= 0; k-- {
		if p[order[k]] <= q*float64(k+1)/float64(len(p)) {
			for _, i := range order[:k+1] {
				found[i] = true
			}
			break
		}
	}
	return found
}
