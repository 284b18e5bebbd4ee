package lanes

import "gobench/internal/simd/kernel"

// Eight elements per step are 1.3 times as fast as one with 4-byte
// elements; 16 are not faster.

func Sum[T kernel.Number](dst, a, b []byte) {
	n := len(dst)
	a, b = a[:n], b[:n]
	d, p, q := start(dst), start(a), start(b)
	i := 0
	for ; i+8*size[T]() <= n; i += 8 * size[T]() {
		z, x, y := block[[8]T](d, i), block[[8]T](p, i), block[[8]T](q, i)
		z[0] = x[0] + y[0]
		z[1] = x[1] + y[1]
		z[2] = x[2] + y[2]
		z[3] = x[3] + y[3]
		z[4] = x[4] + y[4]
		z[5] = x[5] + y[5]
		z[6] = x[6] + y[6]
		z[7] = x[7] + y[7]
	}
	for ; i+size[T]() <= n; i += size[T]() {
		*block[T](d, i) = *block[T](p, i) + *block[T](q, i)
	}
}

func Sum3[T kernel.Number](dst, s0, s1, s2 []byte) {
	n := len(dst)
	s0, s1, s2 = s0[:n], s1[:n], s2[:n]
	d, p, q, r := start(dst), start(s0), start(s1), start(s2)
	i := 0
	for ; i+4*size[T]() <= n; i += 4 * size[T]() {
		z, u, v, w := block[[4]T](d, i), block[[4]T](p, i), block[[4]T](q, i), block[[4]T](r, i)
		z[0] = u[0] + v[0] + w[0]
		z[1] = u[1] + v[1] + w[1]
		z[2] = u[2] + v[2] + w[2]
		z[3] = u[3] + v[3] + w[3]
	}
	for ; i+size[T]() <= n; i += size[T]() {
		*block[T](d, i) = *block[T](p, i) + *block[T](q, i) + *block[T](r, i)
	}
}

func Sum4[T kernel.Number](dst, s0, s1, s2, s3 []byte) {
	n := len(dst)
	s0, s1, s2, s3 = s0[:n], s1[:n], s2[:n], s3[:n]
	d, p, q, r, s := start(dst), start(s0), start(s1), start(s2), start(s3)
	i := 0
	for ; i+4*size[T]() <= n; i += 4 * size[T]() {
		z, u, v, w, x := block[[4]T](d, i), block[[4]T](p, i), block[[4]T](q, i), block[[4]T](r, i), block[[4]T](s, i)
		z[0] = u[0] + v[0] + w[0] + x[0]
		z[1] = u[1] + v[1] + w[1] + x[1]
		z[2] = u[2] + v[2] + w[2] + x[2]
		z[3] = u[3] + v[3] + w[3] + x[3]
	}
	for ; i+size[T]() <= n; i += size[T]() {
		*block[T](d, i) = *block[T](p, i) + *block[T](q, i) + *block[T](r, i) + *block[T](s, i)
	}
}
