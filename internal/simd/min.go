package simd

import "math"

// Every loop takes y and replaces it by x if that is less. Written this way on
// whole registers it is a conditional move; a branch would be mispredicted for
// every other element. Integers are widened to W, floats compared as what they
// are and moved as bits.

func plainMin[T, W Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := W(a[i]), W(b[i])
		if x < y {
			y = x
		}
		dst[i] = T(y)
	}
}

func plainMinFloat32(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		u, v := math.Float32bits(x), math.Float32bits(y)
		if x < y {
			v = u
		}
		dst[i] = math.Float32frombits(v)
	}
}

func plainMinFloat64(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		u, v := math.Float64bits(x), math.Float64bits(y)
		if x < y {
			v = u
		}
		dst[i] = math.Float64frombits(v)
	}
}
