//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// solverAVX2 leaves Rows to plain Go: archsimd of Go 1.26 has no gather, and four sums in plain Go
// are limited by the three loads of an entry.
func (s *Set) solverAVX2() {
	s.Solver.Dot, s.Solver.Update, s.Solver.Direction = dotAVX2, updateAVX2, directionAVX2
}

func dotAVX2(a, b []float64) float64 {
	n := len(a)
	b = b[:n]
	pa, pb := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	var s0, s1, s2, s3 archsimd.Float64x4
	i := 0
	for ; i+16 <= n; i += 16 {
		s0 = archsimd.LoadFloat64x4Array(at[[4]float64](pa, i*8)).MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pb, i*8)), s0)
		s1 = archsimd.LoadFloat64x4Array(at[[4]float64](pa, i*8+32)).MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pb, i*8+32)), s1)
		s2 = archsimd.LoadFloat64x4Array(at[[4]float64](pa, i*8+64)).MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pb, i*8+64)), s2)
		s3 = archsimd.LoadFloat64x4Array(at[[4]float64](pa, i*8+96)).MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pb, i*8+96)), s3)
	}
	var lanes [4]float64
	s0.Add(s1).Add(s2.Add(s3)).StoreArray(&lanes)
	archsimd.ClearAVXUpperBits()
	sum := (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
	for ; i < n; i++ {
		sum += a[i] * b[i]
	}
	return sum
}

func updateAVX2(z, r, p, q []float64, alpha float64) float64 {
	n := len(z)
	r, p, q = r[:n], p[:n], q[:n]
	pz, pr, pp, pq := unsafe.Pointer(unsafe.SliceData(z)), unsafe.Pointer(unsafe.SliceData(r)), unsafe.Pointer(unsafe.SliceData(p)), unsafe.Pointer(unsafe.SliceData(q))
	forth, back := archsimd.BroadcastFloat64x4(alpha), archsimd.BroadcastFloat64x4(-alpha)
	var s0, s1 archsimd.Float64x4
	i := 0
	for ; i+8 <= n; i += 8 {
		forth.MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pp, i*8)), archsimd.LoadFloat64x4Array(at[[4]float64](pz, i*8))).StoreArray(at[[4]float64](pz, i*8))
		forth.MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pp, i*8+32)), archsimd.LoadFloat64x4Array(at[[4]float64](pz, i*8+32))).StoreArray(at[[4]float64](pz, i*8+32))
		r0 := back.MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pq, i*8)), archsimd.LoadFloat64x4Array(at[[4]float64](pr, i*8)))
		r1 := back.MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pq, i*8+32)), archsimd.LoadFloat64x4Array(at[[4]float64](pr, i*8+32)))
		r0.StoreArray(at[[4]float64](pr, i*8))
		r1.StoreArray(at[[4]float64](pr, i*8+32))
		s0, s1 = r0.MulAdd(r0, s0), r1.MulAdd(r1, s1)
	}
	var lanes [4]float64
	s0.Add(s1).StoreArray(&lanes)
	archsimd.ClearAVXUpperBits()
	return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + plainUpdate(z[i:], r[i:], p[i:], q[i:], alpha)
}

func directionAVX2(p, r []float64, beta float64) {
	n := len(p)
	r = r[:n]
	pp, pr := unsafe.Pointer(unsafe.SliceData(p)), unsafe.Pointer(unsafe.SliceData(r))
	factor := archsimd.BroadcastFloat64x4(beta)
	i := 0
	for ; i+8 <= n; i += 8 {
		v := factor.MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pp, i*8)), archsimd.LoadFloat64x4Array(at[[4]float64](pr, i*8)))
		w := factor.MulAdd(archsimd.LoadFloat64x4Array(at[[4]float64](pp, i*8+32)), archsimd.LoadFloat64x4Array(at[[4]float64](pr, i*8+32)))
		v.StoreArray(at[[4]float64](pp, i*8))
		w.StoreArray(at[[4]float64](pp, i*8+32))
	}
	archsimd.ClearAVXUpperBits()
	plainDirection(p[i:], r[i:], beta)
}
