package fdtd

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
)

// Digest is a number made of every bit of the fields. It does not depend on the
// blocks. One wrong bit always changes it. It is collective; all ranks get it.
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

// digestRow is the part of points from (x, y) on in the row of a field. Every point of
// every field has an odd factor of its own: multiplying by it loses nothing.
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
