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
	"strings"

	"gobench/comm"
	"gobench/kernels/application"
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

// instance is CG on one rank. All vectors except sums hold the part of the columns of the rank.
type instance struct {
	rank  *application.Rank
	class npb.Class
	size
	grid
	*loops

	received     []float64  // partial sums of A p from another rank
	pair, theirs [2]float64 // sums of this rank and of a partner, as messages
	iterations   []iteration
}

// iteration holds the quantities that the official program prints for an iteration.
type iteration struct{ norm, zeta float64 }

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	c := &instance{rank: r, class: class, size: sizeOf(class)}
	c.grid = newGrid(c.n, r.Comm.Size(), r.Comm.Rank())
	c.loops = newLoops(r.Team, makeMatrix(c.size, c.rowSpan, c.colSpan), c.colSpan.len())
	c.received = make([]float64, c.rowSpan.len())
	c.iterations = make([]iteration, c.niter)
	return c, nil
}

// Run implements npb.Instance: one untimed iteration of the power method, then niter timed ones.
func (c *instance) Run() (npb.Result, error) {
	fill(c.x, 1)
	if _, err := c.iterate(); err != nil {
		return npb.Result{}, err
	}
	fill(c.x, 1)
	if err := comm.Barrier(c.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	c.rank.Begin()
	for i := range c.iterations {
		var err error
		if c.iterations[i], err = c.iterate(); err != nil {
			return npb.Result{}, err
		}
		if err := c.rank.Step(i+1, c.niter); err != nil {
			return npb.Result{}, err
		}
	}
	seconds := c.rank.End()
	check := npb.Relative("zeta", c.iterations[c.niter-1].zeta, c.zeta, epsilon)
	return npb.Result{Seconds: seconds, Checks: []npb.Check{check, c.solved()}, Text: c.text(check)}, nil
}

// iterate does one iteration of the power method: x becomes the normalised solution of A z = x.
func (c *instance) iterate() (iteration, error) {
	norm, err := c.solve()
	if err != nil {
		return iteration{}, err
	}
	c.pair = [2]float64{c.dot(c.x, c.z), c.dot(c.z, c.z)}
	if err := c.sum(c.pair[:]); err != nil {
		return iteration{}, err
	}
	scale := 1 / math.Sqrt(c.pair[1])
	for i, v := range c.z {
		c.x[i] = scale * v
	}
	return iteration{norm, c.shift + 1/c.pair[0]}, nil
}

// solved checks every solution of the run. The official program checks only the final zeta, to
// which the power method converges even after an error in an earlier iteration.
func (c *instance) solved() npb.Check {
	check := npb.Check{Name: "greatest norm of a residual", Epsilon: unsolved}
	for _, it := range c.iterations {
		check.Error = max(check.Error, it.norm) // NaN if one is
	}
	check.Value = check.Error
	return check
}

// text formats the results of a run in the layout of the official program.
func (c *instance) text(check npb.Check) string {
	var s strings.Builder
	s.WriteString("   iteration           ||r||                 zeta\n")
	for i, it := range c.iterations {
		fmt.Fprintf(&s, "    %5d      %s%20.13f\n", i+1, npb.FormatE(it.norm, 21, 14), it.zeta)
	}
	s.WriteString(" Benchmark completed\n")
	if check.Right() {
		fmt.Fprintf(&s, " VERIFICATION SUCCESSFUL\n Zeta is    %s\n Error is   %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Error, 20, 13))
	} else {
		fmt.Fprintf(&s, " VERIFICATION FAILED\n Zeta                %s\n The correct zeta is %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Reference, 20, 13))
	}
	return s.String()
}

func fill(v []float64, value float64) {
	for i := range v {
		v[i] = value
	}
}

// span is a half-open range of rows or columns.
type span struct{ lo, hi int }

func (s span) len() int       { return s.hi - s.lo }
func (s span) has(i int) bool { return i >= s.lo && i < s.hi }

// grid is the distribution of the matrix over R rows of C ranks, where C is R or 2R. A rank holds
// one block of the matrix and, of each vector, the part that belongs to the columns of its block;
// the ranks of a column of the grid hold the same part.
type grid struct {
	rows, cols int // ranks
	row, col   int // of this rank
	stages     int // log2 of the ranks in a row

	rowSpan, colSpan span
	// part of the row span that this rank keeps when sums are added up: all, or a half where C = 2R
	own     span
	partner int // rank with which this one exchanges own parts; may be itself
}

// newGrid distributes n rows over a power of two of ranks.
func newGrid(n, ranks, rank int) grid {
	l := bits.Len(uint(ranks)) - 1
	g := grid{rows: 1 << (l / 2), cols: 1 << (l - l/2)}
	g.row, g.col = rank/g.cols, rank%g.cols
	g.stages = bits.Len(uint(g.cols)) - 1
	g.rowSpan = block(n, g.rows, g.row)
	nr := g.rowSpan.len()
	if g.rows == g.cols {
		g.colSpan = block(n, g.cols, g.col)
		g.own = span{0, nr}
		g.partner = g.col*g.cols + g.row
		return g
	}
	g.colSpan = block(n, g.cols/2, g.col/2)
	g.own = span{0, nr}
	g.colSpan = half(g.colSpan, g.col%2)
	g.own = half(g.own, g.col%2)
	g.partner = g.col/2*g.cols + 2*g.row + g.col%2
	return g
}

// block returns part i of n items that are divided into parts, of which the first n%parts have one
// more.
func block(n, parts, i int) span {
	each, more := n/parts, n%parts
	lo := i*each + min(i, more)
	if i < more {
		each++
	}
	return span{lo, lo + each}
}

// half returns one half of a span; the first may have one more.
func half(s span, which int) span {
	middle := s.lo + (s.len()+1)/2
	if which == 0 {
		return span{s.lo, middle}
	}
	return span{middle, s.hi}
}

// peer returns the partner in this row of the grid in a stage of recursive doubling, counted from
// 1.
func (g *grid) peer(stage int) int { return g.row*g.cols + g.col ^ g.cols>>stage }
