package simd

import (
	"unsafe"

	"gobench/internal/simd/kernel"
)

// A Solver holds the kernels of iterative solvers of linear equations. Sums are accumulated in
// several parts, so the results of two sets differ by rounding: by less
// than n 2^-53 times the sum of the absolute values of the addends.
type Solver struct {
	// Rows multiplies rows of a sparse matrix with a vector: out[i] is the sum of
	// val[k] * x[col[k]] for k from start[i] to start[i+1]. start has one element
	// more than out.
	Rows func(out []float64, start, col []int32, val, x []float64)
	// NearRows is Rows for a matrix with at most 1<<16 columns.
	NearRows func(out []float64, start []int32, col []uint16, val, x []float64)
	// Dot returns the sum of a[i] * b[i].
	Dot func(a, b []float64) float64
	// Update steps along p: z += alpha p and r -= alpha q. It returns the sum of
	// the squares of the new r.
	Update func(z, r, p, q []float64, alpha float64) float64
	// Direction turns p: p = r + beta p.
	Direction func(p, r []float64, beta float64)
}

// plainRows computes four sums in parallel, because a single one is limited by the latency of
// additions. Entries stream from memory, x is in a cache. The index into x is checked for each
// entry, the range of entries once for a row.
func plainRows[C int32 | uint16](out []float64, start []int32, col []C, val, x []float64) {
	start = start[:len(out)+1]
	pc, pv := unsafe.Pointer(unsafe.SliceData(col)), unsafe.Pointer(unsafe.SliceData(val))
	width := size[C]()
	k := int(start[0])
	for i := range out {
		last := int(start[i+1])
		_, _ = col[k:last], val[k:last]
		var s0, s1, s2, s3 float64
		for ; k+8 <= last; k += 8 {
			c, v := at[[8]C](pc, width*k), at[[8]float64](pv, 8*k)
			s0 += v[0] * x[c[0]]
			s1 += v[1] * x[c[1]]
			s2 += v[2] * x[c[2]]
			s3 += v[3] * x[c[3]]
			s0 += v[4] * x[c[4]]
			s1 += v[5] * x[c[5]]
			s2 += v[6] * x[c[6]]
			s3 += v[7] * x[c[7]]
		}
		for ; k < last; k++ {
			s0 += *at[float64](pv, 8*k) * x[*at[C](pc, width*k)]
		}
		out[i] = (s0 + s1) + (s2 + s3)
	}
}

// Yee is the kernels of package fdtd.
type Yee[T float32 | float64] = kernel.Yee[T]

// YeeH is Magnetic for a single element.
func YeeH[T float32 | float64](h, a, b, c T) T { return kernel.YeeH(h, a, b, c) }

// YeeE is Electric for a single element.
func YeeE[T float32 | float64](e, hyRight, hyLeft, hx, below, c T) T {
	return kernel.YeeE(e, hyRight, hyLeft, hx, below, c)
}

// The kernels of bt, lu and sp, and their arguments.
type (
	Flow     = kernel.Flow
	Row      = kernel.Row
	Lines    = kernel.Lines
	Blocks   = kernel.Blocks
	Penta    = kernel.Penta
	Relax    = kernel.Relax
	RelaxRow = kernel.RelaxRow
)

// Sizes of the arguments, as in package kernel.
const (
	LineLanes                        = kernel.LineLanes
	BlockKept, BlockForth, BlockBack = kernel.BlockKept, kernel.BlockForth, kernel.BlockBack
	PentaKept, PentaForth, PentaBack = kernel.PentaKept, kernel.PentaForth, kernel.PentaBack
	RelaxParts                       = kernel.RelaxParts
)
