package fdtd

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
)

// Digest returns a checksum of all bits of the fields. It does not depend on the blocks, and one
// wrong bit always changes it. It is collective and returns the same on all ranks.
func (s *Solver[T]) Digest() (uint64, error) {
	all := []uint64{0}
	for k, f := range []*field[T]{&s.e, &s.hx, &s.hy} {
		for j := range s.ny {
			all[0] += digestRow(s.problem, k, s.x, s.y+j, f.row(j, 0, s.nx))
		}
	}
	err := comm.Allreduce(s.rank.Aside, nil, all, op.Sum[uint64]())
	return all[0], err
}

// digestRow returns the contribution of a row of a field that starts at (x, y). Every point of
// every field has a distinct odd factor; multiplication by an odd factor modulo 2^64 is invertible.
func digestRow[T Real](p Problem, field, x, y int, row []T) uint64 {
	factor := 2*(3*(uint64(y)*uint64(p.NX)+uint64(x))+uint64(field)) + 1
	sum := uint64(0)
	switch row := any(row).(type) {
	case []float32:
		for _, v := range row {
			sum += uint64(math.Float32bits(v)) * factor
			factor += 6
		}
	case []float64:
		for _, v := range row {
			sum += math.Float64bits(v) * factor
			factor += 6
		}
	}
	return sum
}
