package mg

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
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

// vcycle does one V-cycle ("mg3P") and computes the residual after it. From the residual r at the
// top it computes the correction level by level and adds it to u.
func (s *solver) vcycle() error {
	top := s.top()
	for k := top; k > 1; k-- {
		if err := s.descend(k); err != nil {
			return err
		}
	}
	clear(s.u[1])
	if err := s.complete(1, smooth, nothing); err != nil {
		return err
	}
	for k := 2; k <= top; k++ {
		if err := s.rise(k); err != nil {
			return err
		}
	}
	return nil
}

// descend restricts the residual of level k to the level below. At the top it does the points that
// the wave of the cycle before has not done.
func (s *solver) descend(k int) error {
	s.now, s.done = lower, nothing
	if k == s.top() {
		s.done = s.ahead
	}
	s.run(s.rest, k)
	if k-1 == s.gathered && s.gathered > 0 {
		return s.gather.bring(&s.level[k-1], s.r[k-1], &s.staging, s.stage)
	}
	return s.exchange(&s.level[k-1], s.r[k-1])
}

// rise does all stages of level k: a wave over the points that do not depend on ghosts of its own
// results, and then the other points stage by stage. At the top the wave also restricts for the
// next cycle; after the last cycle that result is not used.
func (s *solver) rise(k int) error {
	last, done := smooth, smooth
	if k == s.top() {
		last, done = again, lower
	}
	if s.level[k].parts[0] > 1 { // every row has ghosts of another rank
		done = residual
	}
	s.done = done
	s.run(s.wave, k)
	for st := residual; st <= last; st++ {
		if err := s.complete(k, st, done); err != nil {
			return err
		}
	}
	s.ahead = done
	return nil
}

// complete does a stage on the points of level k that a wave with stages up to done has not done,
// and makes the ghosts of the result valid.
func (s *solver) complete(k int, st, done stage) error {
	s.now, s.done = st, done
	s.run(s.rest, k)
	if st == smooth {
		return s.exchange(&s.level[k], s.u[k])
	}
	return s.exchange(&s.level[k], s.r[k])
}

// residual sets r at the top to v - A u.
func (s *solver) residual() error {
	s.ahead = nothing
	return s.complete(s.top(), residual, nothing)
}

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
