//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"unsafe"

	x1 "gobench/internal/simd/lanes/x1"
)

// yeeAVX512 has Both in assembly, for its prefetches.
func (s *Set) yeeAVX512() {
	s.Yee32.Both, s.Yee64.Both = rowOf(registersFloat32AVX512), rowOf(registersFloat64AVX512)
}

// rowOf returns Both, whose whole registers are computed by a function.
func rowOf[T float32 | float64](registers func(pe, pa, px, pb, py unsafe.Pointer, end int, c T)) func(e, above, hx, below, hy []T, c T) {
	return func(e, above, hx, below, hy []T, c T) {
		n := len(hx)
		e, above, below, hy = e[:n+1], above[:n], below[:n], hy[:n+1]
		i := n &^ (64/size[T]() - 1)
		registers(start(e), start(above), start(hx), start(below), start(hy[1:]), i*size[T](), c)
		if i < n {
			x1.Both(e[i:], above[i:], hx[i:], below[i:], hy[i:], c)
		}
	}
}

// registersFloat32AVX512 is Both for the first end bytes of a row, which are whole registers, and
// prefetches 2048 bytes ahead into the first-level cache. py is Hy right of the first point. It
// reads and writes no other bytes. Prefetches go beyond the row, where the next one lies.
//
//go:noescape
func registersFloat32AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float32)

// registersFloat64AVX512 is registersFloat32AVX512 in double precision.
//
//go:noescape
func registersFloat64AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float64)
