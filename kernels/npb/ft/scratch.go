package ft

import (
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// tile is how many bundles are gathered at a time, so that what is read together
// is more than a cache line: 16 complex numbers.
const tile = 4

// room is what a bundle of n points takes in a tile: a cache line more, so that
// bundles do not lie on each other's places in the cache.
func room(n int) int { return simd.Point * (n + 1) }

// scratch is what one thread works with.
type scratch struct {
	bundles []float64 // a tile of them
	others  []float64 // another, for the passes between which a transform changes
	rows    []float64 // four rows of random numbers
	points  []float64 // factors along z, and one number more
}

// newScratchSize is the numbers that a scratch holds.
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

// result is where the transforms of a plan leave a tile.
func (s *scratch) result(p *plan) []float64 {
	if p.changes() {
		return s.others
	}
	return s.bundles
}
