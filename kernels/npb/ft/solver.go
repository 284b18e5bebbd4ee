package ft

import (
	"gobench/comm"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// solver holds the arrays of one rank and the jobs of its threads.
type solver struct {
	layout
	rank    *application.Rank
	kernels *simd.Fourier
	plans   [3]*plan
	scratch []scratch // of each thread
	growth  evolution
	checks  checksums

	rows, columns *comm.Comm // ranks that exchange between x and y, and between y and z

	spectrum []float64 // while lines along z are whole
	// data is transformed. spare, with several ranks, is the target of exchanges and of
	// out-of-place passes; the two are then swapped.
	data, spare []float64

	// Jobs of the threads.
	begin, forwardY, forwardZ, backZ, backY, backX, planes func(thread int)
}

// newSolver makes a solver on a grid of np1 x np2 ranks. It is collective.
func newSolver(r *application.Rank, n [3]int, np1, np2 int) (*solver, error) {
	set := simd.Best().Fourier
	s := &solver{layout: newLayout(n, np1, np2, r.Comm.Rank()), rank: r, kernels: &set}
	for axis, n := range n {
		p := newPlan(n)
		s.plans[axis] = &p
	}
	for range r.Team.Threads() {
		s.scratch = append(s.scratch, newScratch(n))
	}
	s.growth = newEvolution(&s.layout)
	s.checks = newChecksums(&s.layout)
	s.spectrum, s.data = application.Array[float64](s.len()), application.Array[float64](s.len())
	if r.Comm.Size() > 1 {
		s.spare = application.Array[float64](s.len())
	}
	var err error
	s.rows, s.columns = r.Comm, r.Comm
	if np1 > 1 {
		if s.rows, err = r.Comm.Split(s.me2, s.me1); err != nil {
			return nil, err
		}
		r.Keep(s.rows)
		if s.columns, err = r.Comm.Split(s.me1, s.me2); err != nil {
			return nil, err
		}
		r.Keep(s.columns)
	}
	s.jobs()
	return s, nil
}

// start computes the initial state and its spectrum.
func (s *solver) start() error {
	for _, p := range s.plans {
		p.fill()
	}
	s.rank.Team.Run(s.begin)
	if s.np1 > 1 {
		if err := s.exchange(s.rows, s.np1); err != nil {
			return err
		}
		s.rank.Team.Run(s.forwardY)
		s.settle()
	}
	if err := s.exchange(s.columns, s.np2); err != nil {
		return err
	}
	s.rank.Team.Run(s.forwardZ)
	return nil
}

// step computes the state at time t from the spectrum.
func (s *solver) step(t int) error {
	s.growth.set(t)
	s.rank.Team.Run(s.backZ)
	if err := s.exchange(s.columns, s.np2); err != nil {
		return err
	}
	if s.np1 == 1 {
		s.rank.Team.Run(s.planes)
		return nil
	}
	s.rank.Team.Run(s.backY)
	s.settle()
	if err := s.exchange(s.rows, s.np1); err != nil {
		return err
	}
	s.rank.Team.Run(s.backX)
	return nil
}

// settle swaps data and spare.
func (s *solver) settle() { s.data, s.spare = s.spare, s.data }

// exchange sends block i of data to rank i of c and receives a block from it (alltoall).
func (s *solver) exchange(c *comm.Comm, ranks int) error {
	if ranks == 1 {
		return nil
	}
	bytes := 8 * s.len() / ranks
	if c == s.rows && s.np1 > 1 {
		s.rank.Profile.SentAll(s.me2, s.np2, ranks, s.rank.Comm.Rank(), bytes)
	} else {
		s.rank.Profile.SentAll(s.me1*s.np2, 1, ranks, s.rank.Comm.Rank(), bytes)
	}
	s.rank.Timers.Begin(application.Alltoall)
	err := comm.Alltoall(c, s.data, s.spare)
	s.rank.Timers.Begin(application.Compute)
	s.data, s.spare = s.spare, s.data
	return err
}
