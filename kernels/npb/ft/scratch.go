package ft

import (
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// tile is the number of bundles that are gathered at a time: 16 complex numbers, so that more than
// one cache line is read together.
const tile = 4

// room returns the size of a bundle of n points in a tile, padded by a cache line to avoid cache
// conflicts.
func room(n int) int { return simd.Point * (n + 1) }

// scratch holds the work arrays of one thread.
type scratch struct {
	bundles []float64 // a tile of them
	others  []float64 // another, for the passes between which a transform changes
	rows    []float64 // four rows of random numbers
	points  []float64 // factors along z, and one number more
}

// newScratchSize returns the size of a scratch, in numbers.
func newScratchSize(n [3]int) int {
	longest := max(n[0], n[1], n[2])
	return 2*tile*room(longest) + simd.Lanes*2*n[0] + n[2] + 1
}

func newScratch(n [3]int) scratch {
	longest := max(n[0], n[1], n[2])
	all := application.Array[float64](newScratchSize(n))
	cut := func(n int) []float64 {
		part := all[:n:n]
		all = all[n:]
		return part
	}
	return scratch{bundles: cut(tile * room(longest)), others: cut(tile * room(longest)),
		rows: cut(simd.Lanes * 2 * n[0]), points: cut(n[2] + 1)}
}

// result returns the array in which the transforms of a plan leave a tile.
func (s *scratch) result(p *plan) []float64 {
	if p.changes() {
		return s.others
	}
	return s.bundles
}
