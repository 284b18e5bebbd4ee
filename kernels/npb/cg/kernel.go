// Package cg is the kernel CG of the NAS Parallel Benchmarks: the smallest
// eigenvalue of a large sparse symmetric positive definite matrix by inverse power
// iteration, with 25 steps of the method of conjugate gradients as the solver
// (NASA RNR-94-007, section 2.2.5; distribution and communication as in NPB 3.4-MPI).
//
// Its bottlenecks are the memory bandwidth, for the matrix, and the latency of small messages.
package cg

import (
	"fmt"
	"math"
	"math/bits"

	"gobench/kernels/npb"
)

// maxRanks is the greatest number of ranks, for any class.
const maxRanks = 1 << 16

// Kernel describes CG.
func Kernel() *npb.Kernel {
	return &npb.Kernel{
		Name:    "cg",
		Last:    npb.E,
		About:   "conjugate gradients with a random sparse matrix: memory bandwidth, transposes, tiny reductions",
		Problem: problem,
		Legal: func(class npb.Class, ranks int) error {
			s := sizeOf(class)
			if s.n <= s.nonzer { // a row has more numbers than columns
				return &npb.FactorError{Kernel: "cg", Class: class, Why: "its matrix would be too small"}
			}
			if err := npb.PowerOfTwo("cg", class, ranks, 1, min(maxRanks, 1<<(bits.Len(uint(s.n))-1))); err != nil {
				return err
			}
			if s.n*(s.nonzer+1)*(s.nonzer+1)/ranks > math.MaxInt32 { // offsets of rows have 32 bits
				return &npb.FactorError{Kernel: "cg", Class: class, Why: fmt.Sprintf("a rank of %d would have more than 2^31 numbers of the matrix: use more ranks", ranks)}
			}
			return nil
		},
		Memory: memory,
		New:    newInstance,
	}
}

// size holds the parameters of a class.
type size struct {
	n      int // order of the matrix
	nonzer int // nonzeros of a generating vector
	niter  int
	shift  float64
	zeta   float64 // the result
}

// sizes holds the parameters of the official classes.
var sizes = map[npb.Class]size{
	npb.S: {1400, 7, 15, 10, 8.5971775078648},
	npb.W: {7000, 8, 15, 12, 10.362595087124},
	npb.A: {14000, 11, 15, 20, 17.130235054029},
	npb.B: {75000, 13, 75, 60, 22.712745482631},
	npb.C: {150000, 15, 75, 110, 28.973605592845},
	npb.D: {1500000, 21, 100, 500, 52.514532105794},
	npb.E: {9000000, 26, 100, 1500, 77.522164599383},
}

const (
	rcond   = 0.1   // condition of the matrix
	steps   = 25    // of the solver in an iteration
	epsilon = 1e-10 // of zeta
	// unsolved is the greatest norm of a residual that passes; 25 steps reach 1e-12 or less in all
	// classes.
	unsolved = 1e-9
)

// sizeOf returns the parameters of a class. A multiple of a class has that multiple of the rows,
// with the nonzeros of a row, the iterations and the shift of the official class.
func sizeOf(class npb.Class) size {
	s := sizes[class.Letter()]
	if !class.Official() {
		s.n, s.zeta = int(math.Round(float64(s.n)*class.Factor())), npb.Unknown()
	}
	return s
}

func problem(class npb.Class) npb.Problem {
	s := sizeOf(class)
	w := float64(s.nonzer * (s.nonzer + 1))
	return npb.Problem{
		Size: fmt.Sprint(s.n),
		Header: fmt.Sprintf(" Size: %10d  (class %v)\n Iterations: %5d\n Number of processes: %%5d\n Number of nonzeroes per row: %8d\n Eigenvalue shift: %9.3f\n",
			s.n, class, s.niter, s.nonzer, s.shift),
		Iterations: s.niter,
		Operations: 1e-6 * 2 * float64(s.niter) * float64(s.n) * (3 + w + steps*(5+w) + 3),
		Kind:       "floating point",
	}
}

// memory returns the size of the matrix (10 bytes for an entry, 12 with more than 2^16 columns), of
// the vectors of all ranks, and of the data of the setup: every rank has all vectors that generate
// the matrix, and an index of them by its rows.
func memory(class npb.Class, ranks, _ int) int64 {
	s := sizeOf(class)
	l := bits.Len(uint(ranks)) - 1
	rows, cols := int64(1)<<(l/2), int64(1)<<(l-l/2)
	n, entries := int64(s.n), int64(s.nonzer+1)
	entry := int64(12)
	if n/cols <= nearColumns {
		entry = 10
	}
	solver := entry*n*entries*entries + 8*4*n*rows + (4+8*3)*n*cols
	setup := int64(ranks)*(12*n*entries+16*n) + 8*n*(entries+1)*cols + 9*n*rows
	return solver + setup
}
