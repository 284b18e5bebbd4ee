//go:build goexperiment.simd && amd64 && !go1.27

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// radix4AVX2 transforms back by changing the parts: the transform of conjugates is
// the conjugate, so reading and writing the imaginary parts as real ones and the
// other way round turns the direction.
func radix4AVX2(dst, src, twiddles []float64, n, s int, back bool) {
	passes(dst, src, n, s)
	m := n / 4
	if m == 0 {
		return
	}
	w := unsafe.Pointer(unsafe.SliceData(twiddles[:6*m+1]))
	re, im := 0, 32
	if back {
		re, im = 32, 0
	}
	p, q := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	unturned(q, p, m, s, re, im)
	for i := 1; i < m; i++ {
		w = unsafe.Add(w, 48)
		turned(unsafe.Add(q, 4*i*s*pointBytes), unsafe.Add(p, i*s*pointBytes), w, m, s, re, im)
	}
	archsimd.ClearAVXUpperBits()
}

// unturned does the transforms whose twiddles are 1.
func unturned(q, p unsafe.Pointer, m, s, re, im int) {
	b, c, d := unsafe.Add(p, m*s*pointBytes), unsafe.Add(p, 2*m*s*pointBytes), unsafe.Add(p, 3*m*s*pointBytes)
	y1, y2, y3 := unsafe.Add(q, s*pointBytes), unsafe.Add(q, 2*s*pointBytes), unsafe.Add(q, 3*s*pointBytes)
	for i := 0; i < s*pointBytes; i += pointBytes {
		r, j := i+re, i+im
		aR, aI, cR, cI := load(p, r), load(p, j), load(c, r), load(c, j)
		sumR, sumI, difR, difI := aR.Add(cR), aI.Add(cI), aR.Sub(cR), aI.Sub(cI)
		bR, bI, dR, dI := load(b, r), load(b, j), load(d, r), load(d, j)
		oddR, oddI, turnR, turnI := bR.Add(dR), bI.Add(dI), dI.Sub(bI), bR.Sub(dR)
		sumR.Add(oddR).Store(at[[4]float64](q, r))
		sumI.Add(oddI).Store(at[[4]float64](q, j))
		difR.Sub(turnR).Store(at[[4]float64](y1, r))
		difI.Sub(turnI).Store(at[[4]float64](y1, j))
		sumR.Sub(oddR).Store(at[[4]float64](y2, r))
		sumI.Sub(oddI).Store(at[[4]float64](y2, j))
		difR.Add(turnR).Store(at[[4]float64](y3, r))
		difI.Add(turnI).Store(at[[4]float64](y3, j))
	}
}

// turned does s transforms with the twiddles at w.
func turned(q, p, w unsafe.Pointer, m, s, re, im int) {
	w1R, w1I := spread(w), spread(unsafe.Add(w, 8))
	w2R, w2I := spread(unsafe.Add(w, 16)), spread(unsafe.Add(w, 24))
	w3R, w3I := spread(unsafe.Add(w, 32)), spread(unsafe.Add(w, 40))
	b, c, d := unsafe.Add(p, m*s*pointBytes), unsafe.Add(p, 2*m*s*pointBytes), unsafe.Add(p, 3*m*s*pointBytes)
	y1, y2, y3 := unsafe.Add(q, s*pointBytes), unsafe.Add(q, 2*s*pointBytes), unsafe.Add(q, 3*s*pointBytes)
	for i := 0; i < s*pointBytes; i += pointBytes {
		r, j := i+re, i+im
		aR, aI, cR, cI := load(p, r), load(p, j), load(c, r), load(c, j)
		sumR, sumI, difR, difI := aR.Add(cR), aI.Add(cI), aR.Sub(cR), aI.Sub(cI)
		bR, bI, dR, dI := load(b, r), load(b, j), load(d, r), load(d, j)
		oddR, oddI, turnR, turnI := bR.Add(dR), bI.Add(dI), dI.Sub(bI), bR.Sub(dR)
		sumR.Add(oddR).Store(at[[4]float64](q, r))
		sumI.Add(oddI).Store(at[[4]float64](q, j))
		xR, xI := difR.Sub(turnR), difI.Sub(turnI)
		xR.Mul(w1R).Sub(xI.Mul(w1I)).Store(at[[4]float64](y1, r))
		xI.MulAdd(w1R, xR.Mul(w1I)).Store(at[[4]float64](y1, j))
		xR, xI = sumR.Sub(oddR), sumI.Sub(oddI)
		xR.Mul(w2R).Sub(xI.Mul(w2I)).Store(at[[4]float64](y2, r))
		xI.MulAdd(w2R, xR.Mul(w2I)).Store(at[[4]float64](y2, j))
		xR, xI = difR.Add(turnR), difI.Add(turnI)
		xR.Mul(w3R).Sub(xI.Mul(w3I)).Store(at[[4]float64](y3, r))
		xI.MulAdd(w3R, xR.Mul(w3I)).Store(at[[4]float64](y3, j))
	}
}
