// Package mg is the kernel MG of the NAS Parallel Benchmarks: V-cycles of a
// multigrid solver for Poisson's equation on a periodic cube, with charges at
// twenty points (NASA RNR-94-007, section 2.2.2; distribution and halo exchange as
// in NPB 3.4-MPI).
//
// Its bottlenecks are the memory bandwidth on fine levels and the latency of messages on coarse
// ones.
//
// The implementation differs from the official program in two ways, which do not change the
// results. Levels on which some rank would have no points are gathered on all ranks, which solve
// them redundantly without messages; officially such ranks wait. Consecutive operators on a level
// are fused plane by plane, where the halos allow it.
package mg

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Kernel describes MG.
func Kernel() *npb.Kernel {
	return &npb.Kernel{
		Name:    "mg",
		Last:    npb.E,
		About:   "multigrid V-cycles on a periodic cube: memory bandwidth, halo exchanges of all sizes",
		Problem: problem,
		Legal: func(class npb.Class, ranks int) error {
			s := sizeOf(class)
			if err := npb.Binary("mg", class, s.levels() > 1); err != nil {
				return err
			}
			return npb.PowerOfTwo("mg", class, ranks, 1, largest(s.n))
		},
		Memory: memory,
		New:    newInstance,
	}
}

// size holds the parameters of a class.
type size struct {
	n         [3]int // points along each axis, powers of two
	niter     int
	smooth    [3]float64 // weights of the smoother
	reference float64    // norm of the residual at the end
}

// Coefficients of the smoother for the small and the large classes.
var (
	small = [3]float64{-3.0 / 8, 1.0 / 32, -1.0 / 64}
	large = [3]float64{-3.0 / 17, 1.0 / 33, -1.0 / 61}
)

// sizes holds the parameters of the official classes.
var sizes = map[npb.Class]size{
	npb.S: {cube(32), 4, small, 0.5307707005734e-04},
	npb.W: {cube(128), 4, small, 0.6467329375339e-05},
	npb.A: {cube(256), 4, small, 0.2433365309069e-05},
	npb.B: {cube(256), 20, large, 0.1800564401355e-05},
	npb.C: {cube(512), 20, large, 0.5706732285740e-06},
	npb.D: {cube(1024), 50, large, 0.1583275060440e-09},
	npb.E: {cube(2048), 50, large, 0.5630442584711e-10},
}

// cube returns the points along the axes of a cube.
func cube(n int) [3]int { return [3]int{n, n, n} }

// sizeOf returns the parameters of a class. A multiple or a fraction doubles or halves the points
// along one axis after the other: from z on, or from x on.
func sizeOf(class npb.Class) size {
	s := sizes[class.Letter()]
	if n, _ := class.Doublings(); !class.Official() {
		s.reference = npb.Unknown()
		axis := 2
		for ; n > 0; n-- {
			s.n[axis] *= 2
			axis = (axis + 2) % 3
		}
		axis = 0
		for ; n < 0; n++ {
			s.n[axis] /= 2
			axis = (axis + 1) % 3
		}
	}
	return s
}

func (s size) points() int { return s.n[0] * s.n[1] * s.n[2] }

// levels returns the number of grids, of which the coarsest has two points along its shortest axes.
func (s size) levels() int { return bits.Len(uint(slices.Min(s.n[:]))) - 1 }

// epsilon is the tolerance of the norm.
const epsilon = 1e-8

// most returns the largest number of ranks for which each has at least two points of the finest
// grid along every axis.
func largest(n [3]int) int {
	ranks := 1
	for d := dims(2 * ranks); max(d[0], d[1], d[2]) <= slices.Min(n[:])/2; d = dims(2 * ranks) {
		ranks *= 2
	}
	return ranks
}

func problem(class npb.Class) npb.Problem {
	s := sizeOf(class)
	cube := fmt.Sprintf("%4dx%4dx%4d", s.n[0], s.n[1], s.n[2])
	return npb.Problem{
		Size: cube,
		Header: fmt.Sprintf(" No input file. Using compiled defaults\n Size: %s  (class %v)\n Iterations: %4d\n Total number of processes: %%6d\n",
			cube, class, s.niter),
		Iterations: s.niter,
		Operations: 58e-6 * float64(s.niter) * float64(s.points()),
		Kind:       "floating point",
	}
}

// memory returns the size of u and r on all levels, of v on the finest, and of the message buffers.
func memory(class npb.Class, ranks, _ int) int64 {
	s := sizeOf(class)
	h := newHierarchy(s.n, dims(ranks), 0)
	var total int
	for k := 1; k <= s.levels(); k++ {
		total += 2 * h.level[k].len()
	}
	finest := &h.level[s.levels()]
	total += finest.len() + 4*finest.shared()
	if h.gathered > 0 {
		n := h.staging.n
		total += h.staging.len() + (1+ranks)*n[0]*n[1]*n[2]
	}
	return int64(8 * ranks * total)
}

// instance is MG on one rank.
type instance struct {
	*solver
	size
}

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	s := sizeOf(class)
	return &instance{newSolver(r, s), s}, nil
}

// Run implements npb.Instance: one untimed V-cycle, then niter timed ones, from the first residual
// to the norm of the last.
func (m *instance) Run() (npb.Result, error) {
	warmUp := func() error {
		_, err := m.solve(1, func(int) error { return nil })
		return err
	}
	if err := m.rank.Ready(m.rank.Comm, m.start, warmUp, m.start); err != nil {
		return npb.Result{}, err
	}
	norm, err := m.solve(m.niter, func(i int) error { return m.rank.Step(i, m.niter) })
	if err != nil {
		return npb.Result{}, err
	}
	seconds := m.rank.End()
	check := npb.Relative("L2 norm", norm, m.reference, epsilon)
	return npb.Result{Seconds: seconds, Checks: []npb.Check{check}, Text: m.text(check)}, nil
}

// start sets up the problem: the charges, and u = 0.
func (m *instance) start() error {
	clear(m.u[m.top()])
	return m.charge()
}

// solve computes the residual, does the given number of V-cycles and returns the norm of the
// residual after them.
func (m *instance) solve(cycles int, step func(int) error) (float64, error) {
	if err := m.residual(); err != nil {
		return 0, err
	}
	if _, _, err := m.solver.norm(); err != nil {
		return 0, err
	}
	for i := range cycles {
		if err := m.vcycle(); err != nil {
			return 0, err
		}
		if err := step(i + 1); err != nil {
			return 0, err
		}
	}
	norm, _, err := m.solver.norm()
	return norm, err
}

// text formats the results of a run in the layout of the official program.
func (m *instance) text(check npb.Check) string {
	var s strings.Builder
	for i := 1; i <= m.niter; i++ {
		if i == 1 || i == m.niter || i%5 == 0 {
			fmt.Fprintf(&s, "  iter %4d\n", i)
		}
	}
	s.WriteString("\n Benchmark completed\n")
	if check.Right() {
		fmt.Fprintf(&s, " VERIFICATION SUCCESSFUL\n L2 Norm is %s\n Error is   %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Error, 20, 13))
	} else {
		fmt.Fprintf(&s, " VERIFICATION FAILED\n L2 Norm is             %s\n The correct L2 Norm is %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Reference, 20, 13))
	}
	return s.String()
}
