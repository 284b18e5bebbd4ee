//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import "simd/archsimd"

func (s *Set) copyAVX512() { s.copy = copyAVX512 }

func copyAVX512(dst, src []byte) {
	n := len(src)
	if n < 64 {
		copy(dst, src)
		return
	}
	dst = dst[:n]
	to, from := start(dst), start(src)
	last := n - 64
	tail := archsimd.LoadUint8x64Array(at[[64]uint8](from, last))
	i := 0
	for ; i+256 <= last; i += 256 {
		a := archsimd.LoadUint8x64Array(at[[64]uint8](from, i))
		b := archsimd.LoadUint8x64Array(at[[64]uint8](from, i+64))
		c := archsimd.LoadUint8x64Array(at[[64]uint8](from, i+128))
		d := archsimd.LoadUint8x64Array(at[[64]uint8](from, i+192))
		a.StoreArray(at[[64]uint8](to, i))
		b.StoreArray(at[[64]uint8](to, i+64))
		c.StoreArray(at[[64]uint8](to, i+128))
		d.StoreArray(at[[64]uint8](to, i+192))
	}
	for ; i < last; i += 64 {
		archsimd.LoadUint8x64Array(at[[64]uint8](from, i)).StoreArray(at[[64]uint8](to, i))
	}
	tail.StoreArray(at[[64]uint8](to, last))
	archsimd.ClearAVXUpperBits()
}
