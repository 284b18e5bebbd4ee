package simd

import "unsafe"

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

func plainSolver() Solver {
	return Solver{Rows: plainRows[int32], NearRows: plainRows[uint16], Dot: plainDot, Update: plainUpdate, Direction: plainDirection}
}

// plainRows computes four sums at once, because a single one is limited by the latency of
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

func plainDot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += v * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func plainUpdate(z, r, p, q []float64, alpha float64) float64 {
	r, p, q = r[:len(z)], p[:len(z)], q[:len(z)]
	var s0, s1 float64
	i := 0
	for ; i+1 < len(z); i += 2 {
		z[i] += alpha * p[i]
		z[i+1] += alpha * p[i+1]
		a, b := r[i]-alpha*q[i], r[i+1]-alpha*q[i+1]
		r[i], r[i+1] = a, b
		s0 += a * a
		s1 += b * b
	}
	for ; i < len(z); i++ {
		z[i] += alpha * p[i]
		r[i] -= alpha * q[i]
		s0 += r[i] * r[i]
	}
	return s0 + s1
}

func plainDirection(p, r []float64, beta float64) {
	r = r[:len(p)]
	for i := range p {
		p[i] = r[i] + beta*p[i]
	}
}
