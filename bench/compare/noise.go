package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"gobench/bench/stats"
)

// noise is how much the launches of one program differ in one cell.
type noise struct {
	halves float64   // relative difference of the medians of two halves of them that is exceeded in 5 of 100 splits
	pairs  []float64 // |logarithm of the ratio| of any two launches, ascending
}

// noiseOf is the noise of launches with these medians.
func noiseOf(medians []float64) noise {
	x := slices.Sorted(slices.Values(medians)) // so that the order of records does not matter
	n := noise{halves: difference(x)}
	for i := range x {
		for _, smaller := range x[:i] {
			n.pairs = append(n.pairs, math.Log(x[i]/smaller))
		}
	}
	slices.Sort(n.pairs)
	return n
}

func (n noise) known() bool { return len(n.pairs) > 0 }

// louder is the one with the larger floor.
func (n noise) louder(other noise) noise {
	if other.halves > n.halves {
		return other
	}
	return n
}

// chance is how often two launches of one program differ as much as two that are
// compared, whose ratio is given. It is never below what so many pairs can show.
func (n noise) chance(ratio float64) float64 {
	first, _ := slices.BinarySearch(n.pairs, math.Abs(math.Log(ratio))*(1-1e-12))
	return float64(1+len(n.pairs)-first) / float64(1+len(n.pairs))
}

// ofTwo is the difference of two launches that is exceeded by 5 of 100 pairs, as a logarithm.
func (n noise) ofTwo() float64 {
	return n.pairs[min(len(n.pairs)-1, int(math.Ceil(floorLevel*float64(len(n.pairs)))))]
}

// judgeSingle puts the noise between launches into a row that rests on one launch of a
// side, whose own interval says nothing of the next launch. More launches of the other
// side make it safer.
func (r *Row) judgeSingle(n noise) {
	if r.Level != Events || r.Confidence == 0 || !n.known() {
		return
	}
	between := n.ofTwo()
	r.Floor = math.Expm1(between)
	r.Ratio.Lo = min(r.Ratio.Lo, r.Ratio.Median*math.Exp(-between))
	r.Ratio.Hi = max(r.Ratio.Hi, r.Ratio.Median*math.Exp(between))
	r.Confidence = stats.Level
	r.P = max(r.P, n.chance(r.Ratio.Median))
	r.judged = true
}

// difference is the relative difference of two random halves of x that is exceeded
// in 5 of 100 splits. The order of the splits is always the same. x is sorted.
func difference(x []float64) float64 {
	random := rand.New(rand.NewPCG(uint64(len(x)), 0x66))
	x = slices.Clone(x)
	logs := make([]float64, splits)
	half := len(x) / 2
	left, right := make([]float64, half), make([]float64, len(x)-half)
	for i := range logs {
		random.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		copy(left, x[:half])
		copy(right, x[half:])
		logs[i] = math.Abs(math.Log(middle(left) / middle(right)))
	}
	slices.Sort(logs)
	return math.Expm1(logs[int(floorLevel*splits)-1])
}
