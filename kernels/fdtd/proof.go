package fdtd

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
)

// proofSteps is the number of steps of a proof. Halo data spread by one point in each step; after
// three steps they have passed through all parts of a step.
const proofSteps = 3

// Prove tests the halo exchange: it runs a few steps from fields that differ at every point,
// compares all points that an exchange can affect (near the borders of blocks and of the bands of
// threads) with the oracle, and returns the number of wrong points of all blocks. It is collective
// and overwrites the fields.
func (s *Solver[T]) Prove() (wrong int, err error) {
	s.scatter()
	s.step = len(s.wavelet) // no more wavelet
	for range proofSteps {
		if err := s.advance(); err != nil {
			return 0, err
		}
	}
	count := []int64{0}
	const near = proofSteps + 1
	for _, strip := range []block{
		{s.x, s.y, s.nx, near}, {s.x, s.y + s.ny - near, s.nx, near},
		{s.x, s.y, near, s.ny}, {s.x + s.nx - near, s.y, near, s.ny},
	} {
		count[0] += s.compare(strip)
	}
	for _, b := range s.sweep.bands[1:] {
		count[0] += s.compare(block{s.x, s.y + b.lo - near, s.nx, 2 * near})
	}
	err = comm.Allreduce(s.rank.Aside, nil, count, op.Sum[int64]())
	return int(count[0]), err
}

// scatter fills the fields of the block like oracle.scatter.
func (s *Solver[T]) scatter() {
	for j := -1; j < s.ny; j++ {
		for i := -1; i < s.nx; i++ {
			x, y := s.x+i, s.y+j
			if j >= 0 && i >= 0 {
				*s.e.at(j, i) = scattered[T](s.problem, x, y, 0)
			}
			if i >= 0 {
				*s.hx.at(j, i) = scattered[T](s.problem, x, y, 1)
			}
			if j >= 0 {
				*s.hy.at(j, i) = scattered[T](s.problem, x, y, 2)
			}
		}
	}
	s.packAll()
}

// compare counts the points of a strip, cut to the block, that differ from the oracle.
func (s *Solver[T]) compare(strip block) int64 {
	strip = strip.within(s.block)
	wide := block{strip.x - proofSteps, strip.y - proofSteps, strip.nx + 2*proofSteps, strip.ny + 2*proofSteps}
	o := newOracle[T](s.problem, wide.within(whole(s.problem)))
	o.scatter()
	for range proofSteps {
		o.advance(0)
	}
	return s.differences(o, strip)
}

// differences counts the points of a part of the block that are not bitwise equal to the oracle.
func (s *Solver[T]) differences(o *oracle[T], part block) (n int64) {
	for y := part.y; y < part.y+part.ny; y++ {
		for x := part.x; x < part.x+part.nx; x++ {
			j, i, row, column := y-s.y, x-s.x, y-o.y+1, x-o.x+1
			if differ(*s.e.at(j, i), o.e[row][column]) || differ(*s.hx.at(j, i), o.hx[row][column]) || differ(*s.hy.at(j, i), o.hy[row][column]) {
				n++
			}
		}
	}
	return n
}

func differ[T Real](a, b T) bool {
	return math.Float64bits(float64(a)) != math.Float64bits(float64(b))
}
