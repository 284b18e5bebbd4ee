package mg

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// norm returns the root of the mean square of the residual at the top, and its
// largest magnitude ("norm2u3").
func (s *solver) norm() (mean, largest float64, err error) {
	s.run(s.norms, s.top())
	var squares float64
	for _, p := range s.sums {
		squares += p.squares
		largest = max(largest, p.largest)
	}
	c := s.rank.Comm
	if c.Size() > 1 {
		s.rank.Timers.Begin(application.Allreduce)
		defer s.rank.Timers.Begin(application.Compute)
		s.pair[0] = largest
		s.rank.Profile.Collective(8)
		if err := comm.Allreduce(c, nil, s.pair[:], s.max); err != nil {
			return 0, 0, err
		}
		largest, s.pair[0] = s.pair[0], squares
		s.rank.Profile.Collective(8)
		if err := comm.Allreduce(c, nil, s.pair[:], s.sum); err != nil {
			return 0, 0, err
		}
		squares = s.pair[0]
	}
	return math.Sqrt(squares / float64(s.n[0]*s.n[1]*s.n[2])), largest, nil
}

func (s *solver) doNorm(thread int) {
	l := &s.level[s.top()]
	p := &s.sums[thread]
	p.squares, p.largest = 0, 0
	lo, hi := s.planes(l, thread)
	for z := lo; z < hi; z++ {
		squares, largest := s.kernels.Norm(s.r[s.top()], simd.Box{At: l.at(1, 1, z), N: l.n[0], Rows: l.n[1], Y: l.y, Z: l.z})
		p.squares += squares
		p.largest = max(p.largest, largest)
	}
}

// reductions holds the buffers and operators of the reductions, made once.
type reductions struct {
	pair     [1]float64
	sum, max *op.Op
}

func newReductions() reductions { return reductions{sum: op.Sum[float64](), max: op.Max[float64]()} }
