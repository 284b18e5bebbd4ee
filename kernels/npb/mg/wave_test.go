package mg

import (
	"fmt"
	"slices"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

// stepwise is rise with every stage but the first on its own.
func (s *solver) stepwise(k int) error {
	s.done = correct
	s.run(s.wave, k)
	for st := residual; st <= again; st++ {
		if err := s.complete(k, st, nothing); err != nil {
			return err
		}
	}
	s.ahead = nothing
	return nil
}

// A wave gives every point the same bits as one stage after the other, whatever is
// shared among ranks and threads.
func TestWaveIsOneStageAfterTheOther(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {1, 2}, {1, 3}, {1, 7}, {2, 1}, {2, 2}, {4, 1}, {4, 3}, {8, 1}} {
		kerneltest.Run(t, kerneltest.Shared, c[0], c[1], func(r *application.Rank) error {
			var u, below [2][]float64
			for i, rise := range []func(*solver, int) error{(*solver).stepwise, (*solver).rise} {
				s := newSolver(r, sizes[npb.S], 5)
				top := s.top()
				if err := s.charge(); err != nil {
					return err
				}
				if err := s.residual(); err != nil {
					return err
				}
				for range 2 { // the correction of the first is zero
					if err := rise(s, top); err != nil {
						return err
					}
					if err := s.descend(top); err != nil {
						return err
					}
					copy(s.u[top-1], s.r[top-1])
				}
				u[i], below[i] = s.u[top], s.r[top-1]
			}
			if !slices.Equal(u[0], u[1]) || !slices.Equal(below[0], below[1]) {
				return fmt.Errorf("%d ranks of %d threads: a wave is not what its stages are", c[0], c[1])
			}
			return nil
		})
	}
}
