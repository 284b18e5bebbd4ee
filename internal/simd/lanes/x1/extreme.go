package lanes

import (
	"math"

	"gobench/internal/simd/kernel"
)

// On whole registers a choice is a conditional move; a branch would be mispredicted for every other
// element. So integers are widened to W, and floats are compared as floats and moved as bits: b is
// replaced by a if that is greater or less.

func Max[T, W kernel.Integer](dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+size[T]() <= len(dst); i += size[T]() {
		x, y := W(*block[T](p, i)), W(*block[T](q, i))
		if x > y {
			y = x
		}
		*block[T](d, i) = T(y)
	}
}

func Min[T, W kernel.Integer](dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+size[T]() <= len(dst); i += size[T]() {
		x, y := W(*block[T](p, i)), W(*block[T](q, i))
		if x < y {
			y = x
		}
		*block[T](d, i) = T(y)
	}
}

func MaxFloat32(dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+4 <= len(dst); i += 4 {
		f, g := *block[float32](p, i), *block[float32](q, i)
		x, y := math.Float32bits(f), math.Float32bits(g)
		if f > g {
			y = x
		}
		*block[float32](d, i) = math.Float32frombits(y)
	}
}

func MaxFloat64(dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+8 <= len(dst); i += 8 {
		f, g := *block[float64](p, i), *block[float64](q, i)
		x, y := math.Float64bits(f), math.Float64bits(g)
		if f > g {
			y = x
		}
		*block[float64](d, i) = math.Float64frombits(y)
	}
}

func MinFloat32(dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+4 <= len(dst); i += 4 {
		f, g := *block[float32](p, i), *block[float32](q, i)
		x, y := math.Float32bits(f), math.Float32bits(g)
		if f < g {
			y = x
		}
		*block[float32](d, i) = math.Float32frombits(y)
	}
}

func MinFloat64(dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+8 <= len(dst); i += 8 {
		f, g := *block[float64](p, i), *block[float64](q, i)
		x, y := math.Float64bits(f), math.Float64bits(g)
		if f < g {
			y = x
		}
		*block[float64](d, i) = math.Float64frombits(y)
	}
}
