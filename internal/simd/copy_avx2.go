//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import "simd/archsimd"

func (s *Set) copyAVX2() { s.copy = copyAVX2 }

func copyAVX2(dst, src []byte) {
	n := len(src)
	if n < 32 {
		copy(dst, src)
		return
	}
	dst = dst[:n]
	to, from := start(dst), start(src)
	last := n - 32
	tail := archsimd.LoadUint8x32Array(at[[32]uint8](from, last))
	i := 0
	for ; i+128 <= last; i += 128 {
		a := archsimd.LoadUint8x32Array(at[[32]uint8](from, i))
		b := archsimd.LoadUint8x32Array(at[[32]uint8](from, i+32))
		c := archsimd.LoadUint8x32Array(at[[32]uint8](from, i+64))
		d := archsimd.LoadUint8x32Array(at[[32]uint8](from, i+96))
		a.StoreArray(at[[32]uint8](to, i))
		b.StoreArray(at[[32]uint8](to, i+32))
		c.StoreArray(at[[32]uint8](to, i+64))
		d.StoreArray(at[[32]uint8](to, i+96))
	}
	for ; i < last; i += 32 {
		archsimd.LoadUint8x32Array(at[[32]uint8](from, i)).StoreArray(at[[32]uint8](to, i))
	}
	tail.StoreArray(at[[32]uint8](to, last))
	archsimd.ClearAVXUpperBits()
}
