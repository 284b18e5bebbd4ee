package mg

import (
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// solver holds the arrays of one rank and the jobs of its threads. Arrays of a level have its
// layout; their ghosts are valid unless stated otherwise.
type solver struct {
	hierarchy
	n       [3]int // points of the finest level
	rank    *application.Rank
	kernels simd.Stencils
	halo    halo
	gather  gather
	reductions

	u, r  [][]float64 // by level
	v     []float64   // charges, on the finest level
	stage []float64   // r on the staging level; its ghosts are never used

	ahead stage // last stage of the last wave at the top

	smoother, operator [4]float64 // weights of the centre, faces, edges and corners

	// Arguments of the current job: the level, the stage, and the last stage of the wave. The jobs
	// are made once, because a method value allocates.
	k          int
	now, done  stage
	wave, rest func(thread int)
	norms      func(thread int)
	sums       []partial
}

// partial is the part of a norm of one thread, padded to a cache line.
type partial struct {
	squares, largest float64
	_                [6]float64
}

func newSolver(r *application.Rank, c size) *solver {
	d := dims(r.Comm.Size())
	s := &solver{
		hierarchy:  newHierarchy(c.n, d, r.Comm.Rank()),
		n:          c.n,
		rank:       r,
		kernels:    simd.Best().Grid,
		reductions: newReductions(),
		smoother:   [4]float64{c.smooth[0], c.smooth[1], c.smooth[2], 0},
		operator:   [4]float64{8.0 / 3, 0, -1.0 / 6, -1.0 / 12}, // of -A
		sums:       make([]partial, r.Team.Threads()),
	}
	s.allocate()
	s.halo = newHalo(r, d, s.level[s.top()])
	s.gather = newGather(&s.hierarchy, r)
	s.jobs()
	return s
}

// allocate makes one array for each of u, r and v, so that small levels share pages.
func (s *solver) allocate() {
	var total int
	for k := 1; k < len(s.level); k++ {
		total += s.level[k].len()
	}
	u, r := application.Array[float64](total), application.Array[float64](total)
	s.u, s.r = make([][]float64, len(s.level)), make([][]float64, len(s.level))
	for k := len(s.level) - 1; k > 0; k-- {
		n := s.level[k].len()
		s.u[k], u = u[:n:n], u[n:]
		s.r[k], r = r[:n:n], r[n:]
	}
	s.v = application.Array[float64](s.level[s.top()].len())
	if s.gathered > 0 {
		s.stage = make([]float64, s.staging.len())
	}
}

// top returns the number of the finest level.
func (s *solver) top() int { return len(s.level) - 1 }

// jobs makes the jobs of the threads, which work on level s.k.
func (s *solver) jobs() {
	s.wave = func(t int) { s.doWave(s.k, t) }
	s.rest = func(t int) { s.doRest(s.k, t) }
	s.norms = func(t int) { s.doNorm(t) }
}

// run runs a job on level k on all threads.
func (s *solver) run(job func(int), k int) {
	s.k = k
	s.rank.Team.Run(job)
}
