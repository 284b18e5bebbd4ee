package mg

import (
	"fmt"
	"slices"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

// stepwise does the same as rise, with one pass for each stage.
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

// A wave is bitwise equal to one stage after the other, for every distribution over ranks and
// threads.
func TestWaveIsOneStageAfterTheOther(t *testing.T) {
	for _, c := range [][3]int{
		{1, 1, 99}, {1, 2, 99}, {1, 3, 99}, {1, 7, 99}, {2, 1, 99}, {2, 2, 99}, {4, 1, 99}, {4, 3, 99}, {8, 1, 99},
		{1, 1, 1}, {1, 1, 2}, {1, 1, 5}, {1, 1, 16}, {1, 3, 9}, {2, 1, 33}, {4, 1, 3}, {4, 2, 6}, {8, 1, 4},
	} {
		if testing.Short() && (c[1] == 1 || c[2] == 99) {
			continue // for the race detector: threads that follow each other in short steps
		}
		kerneltest.Run(t, kerneltest.Shared, c[0], c[1], func(r *application.Rank) error {
			var u, below [2][]float64
			for i, rise := range []func(*solver, int) error{(*solver).stepwise, (*solver).rise} {
				s := newSolver(r, sizes[npb.S])
				top := s.top()
				s.level[top].tile = c[2]
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
				return fmt.Errorf("a wave with %d rows at a time is not what its stages are", c[2])
			}
			return nil
		})
	}
}
