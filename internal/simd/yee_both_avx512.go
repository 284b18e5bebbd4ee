//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import "unsafe"

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
