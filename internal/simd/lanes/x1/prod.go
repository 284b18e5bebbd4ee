package lanes

import "gobench/internal/simd/kernel"

func Prod[T kernel.Number](dst, a, b []byte) {
	n := len(dst)
	a, b = a[:n], b[:n]
	d, p, q := start(dst), start(a), start(b)
	i := 0
	for ; i+8*size[T]() <= n; i += 8 * size[T]() {
		z, x, y := block[[8]T](d, i), block[[8]T](p, i), block[[8]T](q, i)
		z[0] = x[0] * y[0]
		z[1] = x[1] * y[1]
		z[2] = x[2] * y[2]
		z[3] = x[3] * y[3]
		z[4] = x[4] * y[4]
		z[5] = x[5] * y[5]
		z[6] = x[6] * y[6]
		z[7] = x[7] * y[7]
	}
	for ; i+size[T]() <= n; i += size[T]() {
		*block[T](d, i) = *block[T](p, i) * *block[T](q, i)
	}
}
