//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// pointBytes is the size of a point.
const pointBytes = 8 * Point

func columnsAVX2(dst, src []float64, at []int, base, count, room int, swap bool) {
	inside(dst, src, at, base, count, room)
	re, im := partBytes(swap)
	from, bytes := unsafe.Pointer(unsafe.SliceData(src)), 8*room
	for k, start := range at {
		p := unsafe.Add(from, 8*(start+base))
		q := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), pointBytes*k)
		for range count {
			x, y := load(p, 0), load(p, 32)
			x.ConcatPermuteScalarsGrouped(0, 2, y).StoreArray((*[4]float64)(unsafe.Add(q, re)))
			x.ConcatPermuteScalarsGrouped(1, 3, y).StoreArray((*[4]float64)(unsafe.Add(q, im)))
			p, q = unsafe.Add(p, pointBytes), unsafe.Add(q, bytes)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func scaledAVX2(dst, src []float64, at []int, base, count, room int, swap bool, lines, points []float64) {
	inside(dst, src, at, base, count, room)
	re, im := partBytes(swap)
	lines, points = lines[:Lanes*count], points[:len(at)+1]
	from, bytes := unsafe.Pointer(unsafe.SliceData(src)), 8*room
	for k, start := range at {
		p := unsafe.Add(from, 8*(start+base))
		q := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), pointBytes*k)
		f := unsafe.Pointer(unsafe.SliceData(lines))
		point := lanes(&points[k])
		for range count {
			x, y := load(p, 0), load(p, 32)
			factor := load(f, 0).Mul(point)
			x.ConcatPermuteScalarsGrouped(0, 2, y).Mul(factor).StoreArray((*[4]float64)(unsafe.Add(q, re)))
			x.ConcatPermuteScalarsGrouped(1, 3, y).Mul(factor).StoreArray((*[4]float64)(unsafe.Add(q, im)))
			p, q, f = unsafe.Add(p, pointBytes), unsafe.Add(q, bytes), unsafe.Add(f, 32)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// partBytes is parts in bytes.
func partBytes(swap bool) (re, im int) {
	re, im = parts(swap)
	return 8 * re, 8 * im
}

func fromColumnsAVX2(dst, src []float64, at []int, base, count, room int, swap bool) {
	inside(src, dst, at, base, count, room)
	re, im := partBytes(swap)
	to, bytes := unsafe.Pointer(unsafe.SliceData(dst)), 8*room
	for k, start := range at {
		p := unsafe.Add(to, 8*(start+base))
		q := unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), pointBytes*k)
		for range count {
			x, y := load(q, re), load(q, im)
			x.ConcatPermuteScalarsGrouped(0, 2, y).StoreArray((*[4]float64)(p))
			x.ConcatPermuteScalarsGrouped(1, 3, y).StoreArray((*[4]float64)(unsafe.Add(p, 32)))
			p, q = unsafe.Add(p, pointBytes), unsafe.Add(q, bytes)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func rowsOfAVX2(dst, src []float64, rows [4]int, n int, swap bool) {
	if n&1 != 0 {
		n--
		plainRowsOf(dst[Point*n:], src[2*n:], rows, 1, swap)
	}
	re, im := partBytes(swap)
	row := func(i int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(src[rows[i] : rows[i]+2*n])) }
	a, b, c, d := row(0), row(1), row(2), row(3)
	q := unsafe.Pointer(unsafe.SliceData(dst[:Point*n]))
	for i := 0; i < 16*n; i += 32 {
		w, x, y, z := load(a, i), load(b, i), load(c, i), load(d, i)
		// The order is: real and imaginary parts of rows 0 and 2, then of 1 and 3; point, next
		// point.
		evenR, evenI := w.ConcatPermuteScalarsGrouped(0, 2, y), w.ConcatPermuteScalarsGrouped(1, 3, y)
		oddR, oddI := x.ConcatPermuteScalarsGrouped(0, 2, z), x.ConcatPermuteScalarsGrouped(1, 3, z)
		evenR.ConcatPermute128Scalars(0, 2, oddR).StoreArray((*[4]float64)(unsafe.Add(q, re)))
		evenI.ConcatPermute128Scalars(0, 2, oddI).StoreArray((*[4]float64)(unsafe.Add(q, im)))
		evenR.ConcatPermute128Scalars(1, 3, oddR).StoreArray((*[4]float64)(unsafe.Add(q, 64+re)))
		evenI.ConcatPermute128Scalars(1, 3, oddI).StoreArray((*[4]float64)(unsafe.Add(q, 64+im)))
		q = unsafe.Add(q, 2*pointBytes)
	}
	archsimd.ClearAVXUpperBits()
}

func fromRowsAVX2(dst, src []float64, rows [4]int, n int, swap bool) {
	if n&1 != 0 {
		n--
		plainFromRows(dst[2*n:], src[Point*n:], rows, 1, swap)
	}
	re, im := partBytes(swap)
	row := func(i int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(dst[rows[i] : rows[i]+2*n])) }
	a, b, c, d := row(0), row(1), row(2), row(3)
	q := unsafe.Pointer(unsafe.SliceData(src[:Point*n]))
	for i := 0; i < 16*n; i += 32 {
		r0, i0, r1, i1 := load(q, re), load(q, im), load(q, 64+re), load(q, 64+im)
		evenR, oddR := r0.ConcatPermute128Scalars(0, 2, r1), r0.ConcatPermute128Scalars(1, 3, r1)
		evenI, oddI := i0.ConcatPermute128Scalars(0, 2, i1), i0.ConcatPermute128Scalars(1, 3, i1)
		evenR.ConcatPermuteScalarsGrouped(0, 2, evenI).StoreArray(at[[4]float64](a, i))
		oddR.ConcatPermuteScalarsGrouped(0, 2, oddI).StoreArray(at[[4]float64](b, i))
		evenR.ConcatPermuteScalarsGrouped(1, 3, evenI).StoreArray(at[[4]float64](c, i))
		oddR.ConcatPermuteScalarsGrouped(1, 3, oddI).StoreArray(at[[4]float64](d, i))
		q = unsafe.Add(q, 2*pointBytes)
	}
	archsimd.ClearAVXUpperBits()
}

func radix2AVX2(dst, src []float64, s int) {
	passes(dst, src, 2, s)
	half := pointBytes * s
	p, q := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	for i := 0; i < half; i += 32 {
		a, b := load(p, i), load(p, i+half)
		a.Add(b).StoreArray(at[[4]float64](q, i))
		a.Sub(b).StoreArray(at[[4]float64](q, i+half))
	}
	archsimd.ClearAVXUpperBits()
}
