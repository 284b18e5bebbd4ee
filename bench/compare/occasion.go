package compare

import (
	"math"
	"slices"
	"time"
)

// assumed is the standard deviation between occasions relative to that between the launches of
// one occasion, where no floor tells it.
const assumed = 0.5

// alternate reports that the launches of two sides took turns, as those of two programs in the
// random blocks of a sweep do: the side changes at least as often in the order of time as
// the smaller side has launches. Two sides that were measured one after the other change once. Both
// are in the order of time.
func alternate(a, b []launch) bool {
	changes, i, j := 0, 0, 0
	last := 0 // which side came last: 1 or 2
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
	least := min(len(a), len(b))
	return least > 1 && changes >= least
}

// widening is by how much the interval of a ratio is wider than that of independent launches,
// where one side was measured after the other; see the package. span is the time from the first
// launch to the last of both sides: a floor that was measured within less time does not know how much the
// machine changes in it, and can only make the interval wider than assumed.
func widening(na, nb int, correlation float64, floor *Floor, span time.Duration) float64 {
	h := 2 / (1/float64(na) + 1/float64(nb))
	serial := (1 + correlation) / (1 - correlation)
	// The spread of correlated launches is less than that of independent ones, by this share of
	// its square.
	unseen := max((h-serial)/(h-1), 0.5)
	alone := math.Sqrt(serial / unseen)
	λ := math.Sqrt((serial + h*assumed*assumed) / unseen)
	switch {
	case floor == nil:
		return λ
	case floor.span < span:
		return max(λ, floor.widening(h))
	}
	return max(alone, floor.widening(h))
}

// leastSeries is the number of launches of a cell from which a correlation can be told at all.
const leastSeries = 4

// mostCorrelation is the largest correlation that is believed.
const mostCorrelation = 0.8

// correlation estimates how much launches of one side that follow each other resemble each other,
// from the ranks of the launches of many cells, each in the order of time. Ranks make one
// launch that took very long no more than one launch. Below zero it is zero.
func correlation(cells [][]launch) float64 {
	product, square, values, series := 0.0, 0.0, 0, 0
	for _, cell := range cells {
		if len(cell) < leastSeries {
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
	// Of n values this is about ρ - (1+4ρ)/n (Marriott and Pope 1954, Bias in the estimation of
	// autocorrelations), and the correlation of ranks is 6/π arcsin(ρ/2).
	n := float64(values) / float64(series)
	ranked := (product/square + 1/n) / max(1-4/n, 0.25)
	return min(max(0, 2*math.Sin(math.Pi/6*ranked)), mostCorrelation)
}

// ranksOf returns the ranks of values around their mean. Equal values share theirs.
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
