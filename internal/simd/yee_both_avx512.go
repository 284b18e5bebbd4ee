//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"unsafe"

	"gobench/internal/simd/kernel"
	x1 "gobench/internal/simd/lanes/x1"
)

// yeeAVX512 has the variants of Both in assembly, for its prefetches.
func (s *Set) yeeAVX512() {
	s.Yee32.Both = []kernel.YeeBoth[float32]{{Name: "fused", Row: rowOf(registersFusedFloat32AVX512)}, {Name: "strips", Row: rowOf(registersStripsFloat32AVX512)}}
	s.Yee64.Both = []kernel.YeeBoth[float64]{{Name: "fused", Row: rowOf(registersFusedFloat64AVX512)}, {Name: "strips", Row: rowOf(registersStripsFloat64AVX512)}}
}

// rowOf returns a variant of Both whose whole registers are computed by a function.
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

// registersStripsFloat32AVX512 is the variant Strips of Both for the first end bytes of a row,
// which are whole registers: H and then E of a strip of 4096 bytes, while the next one is
// prefetched, into the second cache by the loop of H and into the first by the loop of E. py is Hy
// right of the first point. It reads and writes no other bytes. Prefetches go beyond the row, where
// the next one lies.
//
//go:noescape
func registersStripsFloat32AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float32)

// registersStripsFloat64AVX512 is registersStripsFloat32AVX512 in double precision.
//
//go:noescape
func registersStripsFloat64AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float64)

// registersFusedFloat32AVX512 is registersStripsFloat32AVX512 in one loop, which prefetches 2048
// bytes ahead into the first-level cache.
//
//go:noescape
func registersFusedFloat32AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float32)

// registersFusedFloat64AVX512 is registersFusedFloat32AVX512 in double precision.
//
//go:noescape
func registersFusedFloat64AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float64)
