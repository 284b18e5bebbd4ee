//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// point is one point of a bundle, four is four points in a row. Loops increment pointers to
// them, so that no address is computed for a load.
type point struct{ re, im [Lanes]float64 }

type four [4]point

// twiddle holds the factors of one step of a pass; the last number belongs to the next step.
type twiddle struct{ re1, im1, re2, im2, re3, im3, more float64 }

func (p *point) after(points int) *point {
	return (*point)(unsafe.Add(unsafe.Pointer(p), pointBytes*points))
}

func radix4AVX2(dst, src, twiddles []float64, n, s int) {
	passes(dst, src, n, s)
	m := n / 4
	if m == 0 {
		return
	}
	w := (*twiddle)(unsafe.Pointer(unsafe.SliceData(twiddles[:6*m+1])))
	p, q := (*point)(unsafe.Pointer(unsafe.SliceData(src))), (*point)(unsafe.Pointer(unsafe.SliceData(dst)))
	unturned(q, p, m*s, s)
	if s == 1 {
		single(q.after(4), p.after(1), w.next(), m)
	} else {
		for i := 1; i < m; i++ {
			w = w.next()
			turned(q.after(4*i*s), p.after(i*s), w, m*s, s)
		}
	}
}

func (w *twiddle) next() *twiddle { return (*twiddle)(unsafe.Add(unsafe.Pointer(w), 48)) }

// lanes broadcasts a number to all lanes.
func lanes(v *float64) archsimd.Float64x4 { return archsimd.BroadcastFloat64x4(*v) }

// unturned computes s transforms whose twiddles are 1, of points stride apart.
func unturned(y0, a *point, stride, s int) {
	b, c, d := a.after(stride), a.after(2*stride), a.after(3*stride)
	y1, y2, y3 := y0.after(s), y0.after(2*s), y0.after(3*s)
	for ; s > 0; s-- {
		aR, aI, cR, cI := archsimd.LoadFloat64x4Array(&a.re), archsimd.LoadFloat64x4Array(&a.im), archsimd.LoadFloat64x4Array(&c.re), archsimd.LoadFloat64x4Array(&c.im)
		sumR, sumI, difR, difI := aR.Add(cR), aI.Add(cI), aR.Sub(cR), aI.Sub(cI)
		bR, bI, dR, dI := archsimd.LoadFloat64x4Array(&b.re), archsimd.LoadFloat64x4Array(&b.im), archsimd.LoadFloat64x4Array(&d.re), archsimd.LoadFloat64x4Array(&d.im)
		oddR, oddI, turnR, turnI := bR.Add(dR), bI.Add(dI), dI.Sub(bI), bR.Sub(dR)
		sumR.Add(oddR).StoreArray(&y0.re)
		sumI.Add(oddI).StoreArray(&y0.im)
		difR.Sub(turnR).StoreArray(&y1.re)
		difI.Sub(turnI).StoreArray(&y1.im)
		sumR.Sub(oddR).StoreArray(&y2.re)
		sumI.Sub(oddI).StoreArray(&y2.im)
		difR.Add(turnR).StoreArray(&y3.re)
		difI.Add(turnI).StoreArray(&y3.im)
		a, b, c, d = a.after(1), b.after(1), c.after(1), d.after(1)
		y0, y1, y2, y3 = y0.after(1), y1.after(1), y2.after(1), y3.after(1)
	}
	archsimd.ClearAVXUpperBits()
}

// turned computes s transforms with the twiddles w.
func turned(y0, a *point, w *twiddle, stride, s int) {
	w1R, w1I, w2R, w2I, w3R, w3I := lanes(&w.re1), lanes(&w.im1), lanes(&w.re2), lanes(&w.im2), lanes(&w.re3), lanes(&w.im3)
	b, c, d := a.after(stride), a.after(2*stride), a.after(3*stride)
	y1, y2, y3 := y0.after(s), y0.after(2*s), y0.after(3*s)
	for ; s > 0; s-- {
		aR, aI, cR, cI := archsimd.LoadFloat64x4Array(&a.re), archsimd.LoadFloat64x4Array(&a.im), archsimd.LoadFloat64x4Array(&c.re), archsimd.LoadFloat64x4Array(&c.im)
		sumR, sumI, difR, difI := aR.Add(cR), aI.Add(cI), aR.Sub(cR), aI.Sub(cI)
		bR, bI, dR, dI := archsimd.LoadFloat64x4Array(&b.re), archsimd.LoadFloat64x4Array(&b.im), archsimd.LoadFloat64x4Array(&d.re), archsimd.LoadFloat64x4Array(&d.im)
		oddR, oddI, turnR, turnI := bR.Add(dR), bI.Add(dI), dI.Sub(bI), bR.Sub(dR)
		sumR.Add(oddR).StoreArray(&y0.re)
		sumI.Add(oddI).StoreArray(&y0.im)
		xR, xI := difR.Sub(turnR), difI.Sub(turnI)
		xR.Mul(w1R).Sub(xI.Mul(w1I)).StoreArray(&y1.re)
		xI.MulAdd(w1R, xR.Mul(w1I)).StoreArray(&y1.im)
		xR, xI = sumR.Sub(oddR), sumI.Sub(oddI)
		xR.Mul(w2R).Sub(xI.Mul(w2I)).StoreArray(&y2.re)
		xI.MulAdd(w2R, xR.Mul(w2I)).StoreArray(&y2.im)
		xR, xI = difR.Add(turnR), difI.Add(turnI)
		xR.Mul(w3R).Sub(xI.Mul(w3I)).StoreArray(&y3.re)
		xI.MulAdd(w3R, xR.Mul(w3I)).StoreArray(&y3.im)
		a, b, c, d = a.after(1), b.after(1), c.after(1), d.after(1)
		y0, y1, y2, y3 = y0.after(1), y1.after(1), y2.after(1), y3.after(1)
	}
	archsimd.ClearAVXUpperBits()
}

// single computes a first pass without its first transform: each transform has its own twiddles.
func single(to, a *point, w *twiddle, m int) {
	b, c, d := a.after(m), a.after(2*m), a.after(3*m)
	y := (*four)(unsafe.Pointer(to))
	for m--; m > 0; m-- {
		aR, aI, cR, cI := archsimd.LoadFloat64x4Array(&a.re), archsimd.LoadFloat64x4Array(&a.im), archsimd.LoadFloat64x4Array(&c.re), archsimd.LoadFloat64x4Array(&c.im)
		sumR, sumI, difR, difI := aR.Add(cR), aI.Add(cI), aR.Sub(cR), aI.Sub(cI)
		bR, bI, dR, dI := archsimd.LoadFloat64x4Array(&b.re), archsimd.LoadFloat64x4Array(&b.im), archsimd.LoadFloat64x4Array(&d.re), archsimd.LoadFloat64x4Array(&d.im)
		oddR, oddI, turnR, turnI := bR.Add(dR), bI.Add(dI), dI.Sub(bI), bR.Sub(dR)
		sumR.Add(oddR).StoreArray(&y[0].re)
		sumI.Add(oddI).StoreArray(&y[0].im)
		xR, xI, wR, wI := difR.Sub(turnR), difI.Sub(turnI), lanes(&w.re1), lanes(&w.im1)
		xR.Mul(wR).Sub(xI.Mul(wI)).StoreArray(&y[1].re)
		xI.MulAdd(wR, xR.Mul(wI)).StoreArray(&y[1].im)
		xR, xI, wR, wI = sumR.Sub(oddR), sumI.Sub(oddI), lanes(&w.re2), lanes(&w.im2)
		xR.Mul(wR).Sub(xI.Mul(wI)).StoreArray(&y[2].re)
		xI.MulAdd(wR, xR.Mul(wI)).StoreArray(&y[2].im)
		xR, xI, wR, wI = difR.Add(turnR), difI.Add(turnI), lanes(&w.re3), lanes(&w.im3)
		xR.Mul(wR).Sub(xI.Mul(wI)).StoreArray(&y[3].re)
		xI.MulAdd(wR, xR.Mul(wI)).StoreArray(&y[3].im)
		a, b, c, d, w = a.after(1), b.after(1), c.after(1), d.after(1), w.next()
		y = (*four)(unsafe.Add(unsafe.Pointer(y), unsafe.Sizeof(*y)))
	}
	archsimd.ClearAVXUpperBits()
}
