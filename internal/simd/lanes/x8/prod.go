//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package lanes

import plain "gobench/internal/simd/lanes/x1"

// ProdInt64 is the product that AVX2 and NEON have not.
func ProdInt64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Prod[int64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i64](p, i).Mul(*on[i64](q, i)), on[i64](p, i+width).Mul(*on[i64](q, i+width)),
			on[i64](p, i+2*width).Mul(*on[i64](q, i+2*width)), on[i64](p, i+3*width).Mul(*on[i64](q, i+3*width))
		*on[i64](d, i), *on[i64](d, i+width), *on[i64](d, i+2*width), *on[i64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i64](d, i) = on[i64](p, i).Mul(*on[i64](q, i))
	}
	end()
}
