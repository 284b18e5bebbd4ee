package cg

import (
	"fmt"
	"math"
	"os"
	"testing"
	"unsafe"

	"gobench/bench/team"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

func TestClassS(t *testing.T) {
	if !testing.Short() {
		kerneltest.ClassS(t, Kernel(), []int{1, 2, 4, 8, 16}, []int{2})
		return
	}
	// One of sixteen iterations covers everything that can race.
	kerneltest.Run(t, kerneltest.Shared, 2, 2, func(r *application.Rank) error {
		made, err := newInstance(r, npb.S)
		if err != nil {
			return err
		}
		c := made.(*instance)
		fill(c.x, 1)
		it, err := c.iterate()
		if err == nil && !(math.Abs(it.zeta-9.9986441579) < 1e-9 && it.norm < 1e-10) {
			return fmt.Errorf("after one iteration zeta is %v and the norm of the residual %v, want 9.9986441579 and less than 1e-10", it.zeta, it.norm)
		}
		return err
	})
}

func TestClassesWAndA(t *testing.T) {
	if testing.Short() {
		return // they have nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 4, 1)
	kerneltest.Verify(t, Kernel(), npb.A, kerneltest.Shared, 2, 2)
}

// The loops have the candidate that the profile picks, and all are right.
func TestEachCandidateIsUsedAndRight(t *testing.T) {
	defer simd.Choose(func(string) string { return "" })
	team, err := team.New(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	type words [unsafe.Sizeof(simd.Solver{}) / unsafe.Sizeof(uintptr(0))]uintptr
	used := map[words]string{} // by the addresses of functions
	for _, name := range simd.Candidates("solver") {
		simd.Choose(func(string) string { return name })
		kerneltest.Verify(t, Kernel(), npb.S, kerneltest.Shared, 1, 1)
		l := newLoops(team, &matrix{start: []int32{0}}, 1)
		of := *(*words)(unsafe.Pointer(&l.simd))
		if other, ok := used[of]; ok && os.Getenv(simd.Variable) == "" {
			t.Errorf("%s uses the functions of %s", name, other)
		}
		used[of] = name
	}
}

// The matrices of the trials are of the sizes for which they choose (simd.Choose).
func TestSizesOfTrials(t *testing.T) {
	for class, limit := range map[npb.Class]int{npb.S: 1 << 20, npb.W: 8 << 20} {
		all := span{0, sizeOf(class).n}
		if size := makeMatrix(sizeOf(class), all, all).bytes(); size > limit || size < limit/2 {
			t.Errorf("a product of class %s reads %d bytes", class, size)
		}
	}
}

// On R rows of C ranks, where C is R or 2R, a product adds up n/C numbers with log2 C ranks of
// the row and then sends them to the rank that has these columns, maybe itself; a sum sends
// one number to log2 C ranks. An iteration has 26 products and 52 sums, and a sum of two
// numbers at its end (NASA RNR-94-007, section 2.2.5; distribution and exchanges as in NPB
// 3.4-MPI, cg.f90, conj_grad).
func TestVolumeIsThatOfProductsAndSums(t *testing.T) {
	if testing.Short() {
		return // counting is nothing new for a race detector
	}
	const n, iterations = 1400, 15
	for l := 1; l <= 3; l++ {
		rows, cols := 1<<(l/2), 1<<(l-l/2)
		stages := int64(l - l/2)
		kerneltest.Volume(t, Kernel(), npb.S, rows*cols, func(rank int) kerneltest.Sent {
			vectors := 26 * stages
			if rank/cols != rank%cols*rows/cols { // its columns are not those of its rows
				vectors += 26
			}
			return kerneltest.Sent{Messages: application.Traffic{
				Messages: iterations * (vectors + 53*stages),
				Bytes:    iterations * (vectors*8*n/int64(cols) + (52+2)*8*stages),
			}}
		})
	}
}

// Facts of the matrix of class S, which other implementations agree on.
func TestMatrixOfClassS(t *testing.T) {
	all := span{0, 1400}
	m := makeMatrix(sizes[npb.S], all, all)
	if n := len(m.val); n != 78148 {
		t.Errorf("%d nonzeros, want 78148", n)
	}
	if n := m.start[1]; n != 43 {
		t.Errorf("row 0 has %d nonzeros, want 43", n)
	}
	var trace float64
	for i := range 1400 {
		for k := m.start[i]; k < m.start[i+1]; k++ {
			if m.column(k) == i {
				trace += m.val[k]
			}
		}
	}
	if math.Abs(trace+12446.07191798) > 1e-8 {
		t.Errorf("trace is %.8f, want -12446.07191798", trace)
	}
	if m.column(0) != 0 || math.Abs(m.val[0]+8.827405531242736) > 1e-14 {
		t.Errorf("first entry is %v in column %d, want -8.827405531242736 in column 0", m.val[0], m.col[0])
	}
}

// Columns have 16 bits if they fit.
func TestColumnsOfWideMatrices(t *testing.T) {
	for _, cols := range []int{nearColumns, nearColumns + 1} {
		m := newMatrix(1, cols, 2)
		m.add(7, 1)
		m.add(int32(cols-1), 2)
		if a, b := m.column(0), m.column(1); a != 7 || b != cols-1 {
			t.Errorf("%d columns: entries are in columns %d and %d, want 7 and %d", cols, a, b, cols-1)
		}
	}
}

// The blocks of all ranks form the matrix.
func TestGridsCoverTheMatrix(t *testing.T) {
	for _, n := range []int{1400, 1402, 75000} {
		for ranks := 1; ranks <= 64; ranks *= 2 {
			area := 0
			for rank := range ranks {
				g := newGrid(n, ranks, rank)
				area += g.rowSpan.len() * g.colSpan.len()
				back := newGrid(n, ranks, g.partner)
				if back.partner != rank {
					t.Fatalf("%d ranks: rank %d gives to %d, which gives to %d", ranks, rank, g.partner, back.partner)
				}
				if first := back.rowSpan.lo + back.own.lo; first != g.colSpan.lo || back.own.len() != g.colSpan.len() {
					t.Fatalf("n %d, %d ranks: rank %d gets rows from %d (%d of them), has columns %v", n, ranks, rank, first, back.own.len(), g.colSpan)
				}
			}
			if area != n*n {
				t.Fatalf("n %d, %d ranks: blocks have %d places, want %d", n, ranks, area, n*n)
			}
		}
	}
}

func TestIterationsAllocateNothing(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
		made, err := newInstance(r, npb.S)
		if err != nil {
			return err
		}
		c := made.(*instance)
		fill(c.x, 1)
		if n := kerneltest.Allocs(func() { _, err = c.iterate() }); n > 0 {
			t.Errorf("an iteration allocates %v times", n)
		}
		return err
	})
}

func BenchmarkMakeMatrix(b *testing.B) {
	for b.Loop() {
		makeMatrix(sizes[npb.A], span{0, 14000}, span{0, 14000})
	}
}

func BenchmarkKernel(b *testing.B) {
	for _, class := range []npb.Class{npb.A, npb.B} {
		for _, ranks := range []int{1, 4} {
			b.Run(fmt.Sprintf("%v/%d", class, ranks), func(b *testing.B) { kerneltest.Rate(b, Kernel(), class, ranks, 1) })
		}
	}
}

// column returns the column of an entry.
func (m *matrix) column(entry int32) int {
	if m.col == nil {
		return int(m.near[entry])
	}
	return int(m.col[entry])
}
