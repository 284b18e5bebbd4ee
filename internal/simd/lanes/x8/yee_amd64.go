// Code generated from ../yee.go.tmpl; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
	plain "gobench/internal/simd/lanes/x1"
)

// Updates of Yee's scheme. Both updates a strip of a row in two passes. In a single pass, Hy left
// of a vector must be taken from the previous register, because a load of recently stored numbers
// at another offset waits for the store.
var (
	Yee32 = kernel.Yee[float32]{Magnetic: magnetic32, Electric: electric32, Both: both32}
	Yee64 = kernel.Yee[float64]{Magnetic: magnetic64, Electric: electric64, Both: both64}
)

// strip is the bytes of a row that are updated at a time. Strips of the five rows fit in the
// first-level cache.
const strip = 4096

func magnetic32(h, a, b []float32, c float32) {
	a, b = a[:len(h)], b[:len(h)]
	n := len(h) &^ (8*width/32 - 1)
	plain.Magnetic(h[n:], a[n:], b[n:], c)
	ph, pa, pb, k := start(h), start(a), start(b), every32(c)
	for i := 0; i < 32/8*n; i += width {
		*on[f32](ph, i) = on[f32](ph, i).Add(k.Mul(on[f32](pa, i).Sub(*on[f32](pb, i))))
	}
	end()
}

func electric32(e, hx, below, hy []float32, c float32) {
	hx, below, hy = hx[:len(e)], below[:len(e)], hy[:len(e)+1]
	n := len(e) &^ (8*width/32 - 1)
	plain.Electric(e[n:], hx[n:], below[n:], hy[n:], c)
	pe, px, pb, py, k := start(e), start(hx), start(below), start(hy[1:]), every32(c)
	for i := 0; i < 32/8*n; i += width {
		y := on[f32](py, i).Sub(*on[f32](py, i-32/8))
		*on[f32](pe, i) = on[f32](pe, i).Add(k.Mul(y.Sub(on[f32](px, i).Sub(*on[f32](pb, i)))))
	}
	end()
}

func both32(e, above, hx, below, hy []float32, c float32) {
	n := len(hx) &^ (8*width/32 - 1)
	e, above, below, hy = e[:len(hx)+1], above[:len(hx)], below[:len(hx)], hy[:len(hx)+1]
	strips32(start(e), start(above), start(hx), start(below), start(hy[1:]), 32/8*n, c)
	plain.Both(e[n:], above[n:], hx[n:], below[n:], hy[n:], c)
}

// strips32 has no slices, whose lengths would occupy registers that the loops need.
func strips32(pe, pa, px, pb, py unsafe.Pointer, stop int, c float32) {
	k := every32(c)
	for lo := 0; lo < stop; lo += strip {
		hi := min(lo+strip, stop)
		for i := lo; i < hi; i += width {
			z := *on[f32](pe, i)
			x := on[f32](px, i).Add(k.Mul(z.Sub(*on[f32](pa, i))))
			y := on[f32](py, i).Add(k.Mul(on[f32](pe, i+32/8).Sub(z)))
			*on[f32](px, i), *on[f32](py, i) = x, y
		}
		for i := lo; i < hi; i += width {
			y := on[f32](py, i).Sub(*on[f32](py, i-32/8))
			*on[f32](pe, i) = on[f32](pe, i).Add(k.Mul(y.Sub(on[f32](px, i).Sub(*on[f32](pb, i)))))
		}
	}
	end()
}

func magnetic64(h, a, b []float64, c float64) {
	a, b = a[:len(h)], b[:len(h)]
	n := len(h) &^ (8*width/64 - 1)
	plain.Magnetic(h[n:], a[n:], b[n:], c)
	ph, pa, pb, k := start(h), start(a), start(b), every(c)
	for i := 0; i < 64/8*n; i += width {
		*on[f64](ph, i) = on[f64](ph, i).Add(k.Mul(on[f64](pa, i).Sub(*on[f64](pb, i))))
	}
	end()
}

func electric64(e, hx, below, hy []float64, c float64) {
	hx, below, hy = hx[:len(e)], below[:len(e)], hy[:len(e)+1]
	n := len(e) &^ (8*width/64 - 1)
	plain.Electric(e[n:], hx[n:], below[n:], hy[n:], c)
	pe, px, pb, py, k := start(e), start(hx), start(below), start(hy[1:]), every(c)
	for i := 0; i < 64/8*n; i += width {
		y := on[f64](py, i).Sub(*on[f64](py, i-64/8))
		*on[f64](pe, i) = on[f64](pe, i).Add(k.Mul(y.Sub(on[f64](px, i).Sub(*on[f64](pb, i)))))
	}
	end()
}

func both64(e, above, hx, below, hy []float64, c float64) {
	n := len(hx) &^ (8*width/64 - 1)
	e, above, below, hy = e[:len(hx)+1], above[:len(hx)], below[:len(hx)], hy[:len(hx)+1]
	strips64(start(e), start(above), start(hx), start(below), start(hy[1:]), 64/8*n, c)
	plain.Both(e[n:], above[n:], hx[n:], below[n:], hy[n:], c)
}

// strips64 has no slices, whose lengths would occupy registers that the loops need.
func strips64(pe, pa, px, pb, py unsafe.Pointer, stop int, c float64) {
	k := every(c)
	for lo := 0; lo < stop; lo += strip {
		hi := min(lo+strip, stop)
		for i := lo; i < hi; i += width {
			z := *on[f64](pe, i)
			x := on[f64](px, i).Add(k.Mul(z.Sub(*on[f64](pa, i))))
			y := on[f64](py, i).Add(k.Mul(on[f64](pe, i+64/8).Sub(z)))
			*on[f64](px, i), *on[f64](py, i) = x, y
		}
		for i := lo; i < hi; i += width {
			y := on[f64](py, i).Sub(*on[f64](py, i-64/8))
			*on[f64](pe, i) = on[f64](pe, i).Add(k.Mul(y.Sub(on[f64](px, i).Sub(*on[f64](pb, i)))))
		}
	}
	end()
}
