package lanes

import "gobench/internal/simd/kernel"

// On whole registers a choice is a conditional move; a branch would be mispredicted for every other
// element. So integers are widened to W, and floats T are compared as floats and moved as bits B: b
// is replaced by a if that is greater or less.

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

func MaxFloat[T float32 | float64, B uint32 | uint64](dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+size[T]() <= len(dst); i += size[T]() {
		x, y := *block[B](p, i), *block[B](q, i)
		if *block[T](p, i) > *block[T](q, i) {
			y = x
		}
		*block[B](d, i) = y
	}
}

func MinFloat[T float32 | float64, B uint32 | uint64](dst, a, b []byte) {
	a, b = a[:len(dst)], b[:len(dst)]
	d, p, q := start(dst), start(a), start(b)
	for i := 0; i+size[T]() <= len(dst); i += size[T]() {
		x, y := *block[B](p, i), *block[B](q, i)
		if *block[T](p, i) < *block[T](q, i) {
			y = x
		}
		*block[B](d, i) = y
	}
}
