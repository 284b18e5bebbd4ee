package ft

import (
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// layout is the distribution of the grid over the ranks. The grid of ranks has np1 rows along me1
// and np2 columns along me2. While lines along an axis are transformed, a rank holds the whole axis
// and these blocks of the others:
//
//	x: y block me1 of np1, z block me2 of np2
//	y: x block me1 of np1, z block me2 of np2
//	z: x block me1 of np1, y block me2 of np2
//
// Between x and y the ranks of one me2 exchange blocks, between y and z those of
// one me1. With np1 = 1 these are slabs.
//
// An array holds the blocks of an alltoall one after the other, and in each block
// the coordinates z, y, x, the last one fastest.
type layout struct {
	n        [3]int
	np1, np2 int
	me1, me2 int

	x  int // points of an x block
	y1 int // rows of a y block among np1
	y2 int // rows of a y block among np2
	z  int // planes of a z block

	// Offsets of the points of a line, in numbers, with the other coordinates 0.
	blocks []int // each x block, while x is whole
	near   []int // each y, in the blocks exchanged with x whole
	far    []int // each y, in the blocks exchanged with z whole
	deep   []int // each z
	// Distance of planes in those blocks, in numbers.
	nearPlane, farPlane int
}

func newLayout(n [3]int, np1, np2, rank int) layout {
	l := layout{n: n, np1: np1, np2: np2, me1: rank / np2, me2: rank % np2,
		x: n[0] / np1, y1: n[1] / np1, y2: n[1] / np2, z: n[2] / np2}
	l.nearPlane, l.farPlane = 2*l.x*l.y1, 2*l.x*l.y2
	for block := range np1 {
		l.blocks = append(l.blocks, block*l.z*l.nearPlane)
	}
	for y := range n[1] {
		l.near = append(l.near, 2*l.x*(y%l.y1)+y/l.y1*l.z*l.nearPlane)
		l.far = append(l.far, 2*l.x*(y%l.y2)+y/l.y2*l.z*l.farPlane)
	}
	for z := range n[2] {
		l.deep = append(l.deep, l.farPlane*z)
	}
	if np1 == 1 { // nothing is exchanged in between: lines along y stay in place
		l.near, l.nearPlane = l.far, l.farPlane
	}
	return l
}

// row returns the offset of row i along x, counted over all planes of the rank.
func (l *layout) row(i int) int { return l.near[i%l.y1] + i/l.y1*l.nearPlane }

// len returns the length of an array, in numbers.
func (l *layout) len() int { return 2 * l.n[0] * l.y1 * l.z }

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
