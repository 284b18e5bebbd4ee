package lanes

import (
	"math"

	"gobench/internal/simd/kernel"
)

// Every function takes y and replaces it by x if that is less. Written this way
// on whole registers it is a conditional move; a branch would be mispredicted for
// every other element. Integers are widened to W; floats are compared as floats and moved as bits.

func less[T, W kernel.Integer](a, b T) T {
	x, y := W(a), W(b)
	if x < y {
		y = x
	}
	return T(y)
}

func lessFloat32(a, b float32) float32 {
	x, y := math.Float32bits(a), math.Float32bits(b)
	if a < b {
		y = x
	}
	return math.Float32frombits(y)
}

func lessFloat64(a, b float64) float64 {
	x, y := math.Float64bits(a), math.Float64bits(b)
	if a < b {
		y = x
	}
	return math.Float64frombits(y)
}

func Min[T, W kernel.Integer](dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+size[T]() <= len(dst); i += size[T]() {
		*block[T](d, i) = less[T, W](*block[T](p, i), *block[T](q, i))
	}
}

func MinFloat32(dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+4 <= len(dst); i += 4 {
		*block[float32](d, i) = lessFloat32(*block[float32](p, i), *block[float32](q, i))
	}
}

func MinFloat64(dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+8 <= len(dst); i += 8 {
		*block[float64](d, i) = lessFloat64(*block[float64](p, i), *block[float64](q, i))
	}
}
