// Package ft is the kernel FT of the NAS Parallel Benchmarks: a partial differential equation
// solved by discrete Fourier transforms in three dimensions, one forward for the initial state and
// one inverse for each time step (NASA RNR-94-007, section 2.2.6; distribution and communication as
// in NPB 3.4-MPI).
//
// Its bottlenecks are the memory bandwidth and the alltoalls that make each axis local to a rank.
//
// The implementation differs from the official program in two ways, which do not change the
// results. First, x is the fastest index in every distribution, so the blocks of an alltoall are
// contiguous at both ends and nothing is transposed; lines along y and z are transformed four at a
// time. Second, the spectrum is multiplied by the factor for the time t, as the problem is defined,
// and not by a further factor in every step, so it is only read; the factor is the product of three
// that depend on one axis each.
package ft

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Kernel describes FT.
func Kernel() *npb.Kernel {
	return &npb.Kernel{
		Name:     "ft",
		About:    "Fourier transforms in three dimensions: memory bandwidth and alltoalls of everything",
		Problem:  problem,
		Legal:    legal,
		Memory:   memory,
		New:      newInstance,
		RootTime: true,
		Last:     npb.E,
	}
}

// size holds the parameters of a class: points along x, y and z, and time steps.
type size struct {
	n     [3]int
	niter int
}

// sizes holds the parameters of the official classes.
var sizes = map[npb.Class]size{
	npb.S: {[3]int{64, 64, 64}, 6},
	npb.W: {[3]int{128, 128, 32}, 6},
	npb.A: {[3]int{256, 256, 128}, 6},
	npb.B: {[3]int{512, 256, 256}, 20},
	npb.C: {[3]int{512, 512, 512}, 20},
	npb.D: {[3]int{2048, 1024, 1024}, 25},
	npb.E: {[3]int{4096, 2048, 2048}, 25},
}

const (
	alpha   = 1e-6  // of the equation
	epsilon = 1e-12 // of every checksum
)

// fewest is the least number of points along an axis.
const fewest = 8

// sizeOf returns the parameters of a class. A multiple doubles the points along the shortest axis,
// a fraction halves those along the longest, for each factor of two.
func sizeOf(class npb.Class) size {
	s := sizes[class.Letter()]
	n, _ := class.Doublings()
	for ; n > 0; n-- {
		axis := slices.Index(s.n[:], slices.Min(s.n[:]))
		s.n[axis] *= 2
	}
	for ; n < 0; n++ {
		axis := slices.Index(s.n[:], slices.Max(s.n[:]))
		s.n[axis] /= 2
	}
	return s
}

// points returns the number of points of the grid.
func (s size) points() int { return s.n[0] * s.n[1] * s.n[2] }

// legal returns a *npb.RanksError unless the official program can run on ranks: powers of two that
// divide the grid into slabs or, beyond that, into pencils. Pencils need n[2] ranks along x and y,
// which fractions of a class may have fewer points along.
func legal(class npb.Class, ranks int) error {
	n := sizeOf(class).n
	if err := npb.Binary("ft", class, min(n[0], n[1], n[2]) >= fewest); err != nil {
		return err
	}
	limit := min(n[1], n[2])
	if n[2] <= min(n[0], n[1]) {
		limit *= n[2]
	}
	return npb.PowerOfTwo("ft", class, ranks, 1, limit)
}

// processors returns the official grid of ranks: slabs if there are enough planes, else pencils.
func processors(n [3]int, ranks int) (np1, np2 int) {
	if ranks <= n[2] && ranks <= n[1] {
		return 1, ranks
	}
	return n[2], ranks / n[2]
}

func problem(class npb.Class) npb.Problem {
	s := sizeOf(class)
	grid := fmt.Sprintf("%4dx%4dx%4d", s.n[0], s.n[1], s.n[2])
	n := float64(s.points())
	return npb.Problem{
		Size: grid,
		Header: fmt.Sprintf(" No input file inputft.data. Using compiled defaults\n Size                : %s  (class %v)\n Iterations          :        %7d\n Number of processes :        %%7d\n",
			grid, class, s.niter),
		Iterations: s.niter,
		Operations: 1e-6 * n * (14.8157 + 7.19641*math.Log(n) + (5.23518+7.21113*math.Log(n))*float64(s.niter)),
		Kind:       "floating point",
	}
}

// memory returns the size of the spectrum and of the work arrays, one or, with several ranks, two.
func memory(class npb.Class, ranks, threads int) int64 {
	s := sizeOf(class)
	arrays := 2
	if ranks > 1 {
		arrays = 3
	}
	return 16*int64(arrays*s.points()) + int64(8*ranks*threads*newScratchSize(s.n))
}

// instance is FT on one rank.
type instance struct {
	*solver
	size
	references []complex128
	sums       []complex128 // after each step, on rank 0
	found      []npb.Check
}

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	np1, np2 := processors(sizeOf(class).n, r.Comm.Size())
	return newOn(r, class, np1, np2)
}

// newOn makes an instance on a grid of np1 x np2 ranks.
func newOn(r *application.Rank, class npb.Class, np1, np2 int) (*instance, error) {
	c := sizeOf(class)
	s, err := newSolver(r, c.n, np1, np2)
	if err != nil {
		return nil, err
	}
	return &instance{solver: s, size: c, references: references[class],
		sums: make([]complex128, c.niter)}, nil
}

// Run implements npb.Instance: the first transform once untimed, then everything from the twiddles
// to the verification.
func (f *instance) Run() (npb.Result, error) {
	if err := f.rank.Ready(f.rank.Comm, f.start); err != nil {
		return npb.Result{}, err
	}
	if err := f.solve(); err != nil {
		return npb.Result{}, err
	}
	f.verify()
	seconds := f.rank.End()
	if f.rank.Comm.Rank() != 0 {
		return npb.Result{Seconds: seconds}, nil // the sums are rank 0's
	}
	return npb.Result{Seconds: seconds, Checks: f.found, Text: f.text()}, nil
}

// solve makes the initial state and does all steps.
func (f *instance) solve() error {
	if err := f.start(); err != nil {
		return err
	}
	for t := range f.sums {
		if err := f.step(t + 1); err != nil {
			return err
		}
		var err error
		if f.sums[t], err = f.checksum(); err != nil {
			return err
		}
		if err := f.rank.Step(t+1, f.niter); err != nil {
			return err
		}
	}
	return nil
}

// verify compares the checksums with the official ones, if there are any.
func (f *instance) verify() {
	f.found = f.found[:0]
	for t, sum := range f.sums {
		if f.references == nil {
			f.found = append(f.found, npb.Relative("real part of checksum", real(sum), npb.Unknown(), epsilon),
				npb.Relative("imaginary part of checksum", imag(sum), npb.Unknown(), epsilon))
			continue
		}
		reference := f.references[t]
		f.found = append(f.found, npb.Check{
			Name:      "checksum",
			Value:     cmplx.Abs(sum),
			Reference: cmplx.Abs(reference),
			Error:     cmplx.Abs((sum - reference) / reference),
			Epsilon:   epsilon,
		})
	}
}

// text formats the results of a run in the layout of the official program.
func (f *instance) text() string {
	var s strings.Builder
	verdict := "successful"
	for t, c := range f.sums {
		fmt.Fprintf(&s, " T =%5d     Checksum =%s%s\n", t+1, npb.FormatPD(real(c), 22, 12), npb.FormatPD(imag(c), 22, 12))
		if !f.found[t].Right() {
			verdict = "failed"
		}
	}
	return s.String() + " Result verification " + verdict + "\n"
}
