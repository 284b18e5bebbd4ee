package compare

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"gobench/stats"
)

// assumed is the standard deviation between sessions without a floor, relative to that between the
// launches of one session.
const assumed = 0.5

// alternate reports whether the launches of two sides alternate, such as those of two programs in
// the random blocks of a sweep: in the order of time, the side changes at least as often as in a
// random order, 2 n m / (n + m) times for n and m launches (Wald and Wolfowitz 1940). It changes
// once if the sides were measured one after the other, and twice if one was measured around the
// other. Both arguments are in the order of time.
func alternate(a, b []launch) bool {
	changes, i, j := 0, 0, 0
	last := 0 // side of the previous launch: 1 or 2
	for i < len(a) || j < len(b) {
		side := 2
		if j == len(b) || i < len(a) && !b[j].time.Before(a[i].time) {
			side = 1
		}
		if side == 1 {
			i++
		} else {
			j++
		}
		if last != 0 && side != last {
			changes++
		}
		last = side
	}
	return min(len(a), len(b)) > 1 && changes*(len(a)+len(b)) >= 2*len(a)*len(b)
}

// widening returns the factor by which the interval of a ratio is wider than that of independent
// launches if one side was measured after the other (see the package comment). span is the time
// from the first launch to the last of both sides. A floor that was measured within less time does
// not cover the changes of the machine during span; it can only widen the interval beyond the
// assumption. A floor without comparisons says nothing. seen is the observed scatter of the cells
// (see scatterOf). Without a floor it is used if it is less than the assumption.
func widening(na, nb int, correlation float64, floor *Floor, span time.Duration, seen float64) float64 {
	h := 2 / (1/float64(na) + 1/float64(nb))
	serial := (1 + correlation) / (1 - correlation)
	// The variance of correlated launches is less than that of independent ones, by this share.
	unseen := max((h-serial)/(h-1), 0.5)
	alone := math.Sqrt(serial / unseen)
	λ := math.Sqrt((serial + h*assumed*assumed) / unseen)
	known := 0.0
	if floor != nil {
		known = floor.widening(h)
	}
	switch {
	case known == 0:
		return max(alone, min(λ, seen))
	case floor.span < span:
		return max(λ, known)
	}
	return max(alone, known)
}

const (
	// minApart is the number of cells needed to estimate the distance of two sessions.
	minApart = 10
	// apartMargin allows for the uncertainty of so few cells.
	apartMargin = 1.3
)

// scatterOf estimates the distance of two sides that were measured one after the other, relative to
// the distance that the launches of one session predict. It is the median over all cells of the
// shift in units of its standard error, divided by 0.67, the expected median without a difference
// between sessions, and multiplied by apartMargin (an empirical null, Efron 2004). Regressions in
// less than half of the cells hardly change the median. It is +Inf for too few cells.
func scatterOf(rows []*Row) float64 {
	var shifts []float64
	for _, row := range rows {
		row.Widening = 1
		ratio, attained := row.interval(stats.Level)
		if attained < stats.Level-0.001 || !(ratio.Lo > 0) || ratio.Hi <= ratio.Lo {
			continue
		}
		error := math.Log(ratio.Hi/ratio.Lo) / 2 / distuv.UnitNormal.Quantile((1+stats.Level)/2)
		shifts = append(shifts, math.Abs(math.Log(ratio.Median))/error)
	}
	if len(shifts) < minApart {
		return math.Inf(1)
	}
	return apartMargin * stats.Median(shifts) / distuv.UnitNormal.Quantile(0.75)
}

// minSeries is the number of launches of a cell needed to estimate a correlation.
const minSeries = 4

// maxCorrelation bounds the estimated correlation.
const maxCorrelation = 0.8

// correlation estimates the correlation of successive launches of one side from the statistical
// ranks of the launches of many cells, each in the order of time. With ranks, a very slow launch
// has no greater weight than others. Negative estimates become zero.
func correlation(cells [][]launch) float64 {
	product, square, values, series := 0.0, 0.0, 0, 0
	for _, cell := range cells {
		if len(cell) < minSeries {
			continue
		}
		ranks := ranksOf(medians(cell))
		for i := range ranks {
			square += ranks[i] * ranks[i]
			if i > 0 {
				product += ranks[i-1] * ranks[i]
			}
		}
		values += len(cell)
		series++
	}
	if square == 0 {
		return 0
	}
	// The expected estimate from n values is about ρ - (1+4ρ)/n (Marriott and Pope 1954, Bias in
	// the estimation of autocorrelations). The correlation of ranks is 6/π arcsin(ρ/2).
	n := float64(values) / float64(series)
	ranked := (product/square + 1/n) / max(1-4/n, 0.25)
	return min(max(0, 2*math.Sin(math.Pi/6*ranked)), maxCorrelation)
}

// ranksOf returns the ranks of values minus the mean rank. Equal values have equal ranks.
func ranksOf(x []float64) []float64 {
	order := slices.Sorted(slices.Values(x))
	ranks := make([]float64, len(x))
	for i, v := range x {
		first, _ := slices.BinarySearch(order, v)
		after, _ := slices.BinarySearchFunc(order, v, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		})
		ranks[i] = float64(first+after-len(x)) / 2
	}
	return ranks
}
