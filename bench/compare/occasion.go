package compare

import (
	"math"
	"slices"
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
// where one side was measured after the other; see the package.
func widening(na, nb int, correlation float64, floor *Floor) float64 {
	serial := (1 + correlation) / (1 - correlation)
	h := 2 / (1/float64(na) + 1/float64(nb))
	occasion := h * assumed * assumed
	if floor != nil {
		between := floor.widening(h)
		return max(math.Sqrt(serial), between)
	}
	return math.Sqrt(serial + occasion)
}

// leastSeries is the number of launches of a cell from which a correlation can be told at all.
const leastSeries = 4

// most is the largest correlation that is believed.
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
	// Of n values the estimate is ρ - (1+3ρ)/n (Kendall 1954, Note on bias in the estimation of
	// autocorrelation).
	n := float64(values) / float64(series)
	return min(max(0, (product/square+1/n)/max(1-3/n, 0.25)), mostCorrelation)
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
