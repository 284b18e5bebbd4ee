package ft

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
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

// checksums computes the sum over the official 1024 points of the state.
type checksums struct {
	positions []int // of this rank's points in the data
	sum       [1]complex128
	total     [1]complex128
	add       *op.Op
}

func newChecksums(l *layout) checksums {
	c := checksums{add: op.Sum[complex128]()}
	for j := 1; j <= 1024; j++ {
		x, y, z := j%l.n[0], 3*j%l.n[1]-l.me1*l.y1, 5*j%l.n[2]-l.me2*l.z
		if y >= 0 && y < l.y1 && z >= 0 && z < l.z {
			c.positions = append(c.positions, l.blocks[x/l.x]+2*(x%l.x)+l.row(y+z*l.y1))
		}
	}
	return c
}

// checksum returns the sum, divided by the number of points, on rank 0.
func (s *solver) checksum() (complex128, error) {
	var re, im float64
	for _, at := range s.checks.positions {
		re, im = re+s.data[at], im+s.data[at+1]
	}
	c := &s.checks
	n := float64(s.n[0] * s.n[1] * s.n[2])
	c.sum[0] = complex(re/n, im/n)
	if s.rank.Comm.Size() == 1 {
		return c.sum[0], nil
	}
	s.rank.Timers.Begin(application.Allreduce)
	s.rank.Profile.Collective(16)
	err := comm.Reduce(s.rank.Comm, c.sum[:], c.total[:], c.add, 0)
	s.rank.Timers.Begin(application.Compute)
	return c.total[0], err
}

// evolution holds the factors of the points of the spectrum at time t, exp(-4 alpha pi^2 t (kx^2 +
// ky^2 + kz^2)), as one factor for each axis. Those of x and y cover the block of the rank.
type evolution struct {
	n      [3]int
	firstX int
	firstY int
	x      []float64 // in the order of bundles
	y, z   []float64
}

func newEvolution(l *layout) evolution {
	return evolution{n: l.n, firstX: l.me1 * l.x, firstY: l.me2 * l.y2,
		x: make([]float64, l.x), y: make([]float64, l.y2), z: make([]float64, l.n[2])}
}

// least is the threshold below which a factor is set to zero, so that no product of three factors
// is a subnormal number, which processors handle slowly.
const smallest = 1e-100

// set computes the factors of step t.
func (e *evolution) set(t int) {
	factor := func(axis, index int) float64 {
		n := e.n[axis]
		k := (index+n/2)%n - n/2
		v := math.Exp(-4 * alpha * math.Pi * math.Pi * float64(t) * float64(k*k))
		if v < smallest {
			return 0
		}
		return v
	}
	for i := range e.x {
		e.x[bundled(i, len(e.x))] = factor(0, e.firstX+i)
	}
	for i := range e.y {
		e.y[i] = factor(1, e.firstY+i)
	}
	for i := range e.z {
		e.z[i] = factor(2, i)
	}
}

// bundled returns the place of column i of n in the order of bundles.
func bundled(i, n int) int {
	if n < simd.Lanes {
		return i
	}
	return i&^(simd.Lanes-1) | [simd.Lanes]int{0, 2, 1, 3}[i%simd.Lanes]
}

// points sets the factors along a line at row y.
func (e *evolution) points(out []float64, y int) {
	f := e.y[y]
	for k, v := range e.z {
		out[k] = v * f
	}
}
