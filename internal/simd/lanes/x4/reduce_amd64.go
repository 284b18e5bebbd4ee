// Code generated from ../reduce.go.tmpl; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
	plain "gobench/internal/simd/lanes/x1"
)

// Reductions. They are written out for each type because the compiler has no vector instructions
// for a type parameter, and four vectors at a time because a shorter loop takes up to 1.5 times
// as long where its code crosses a line of the cache.

// Reductions by type.
var (
	Int32   = kernel.Reductions{Sum: sumInt32, Sum3: sum3Int32, Sum4: sum4Int32, Prod: prodInt32, Max: maxInt32, Min: minInt32}
	Int64   = kernel.Reductions{Sum: sumInt64, Sum3: sum3Int64, Sum4: sum4Int64, Prod: plain.Prod[int64], Max: maxInt64, Min: minInt64}
	Float32 = kernel.Reductions{Sum: sumFloat32, Sum3: sum3Float32, Sum4: sum4Float32, Prod: prodFloat32, Max: maxFloat32, Min: minFloat32}
	Float64 = kernel.Reductions{Sum: sumFloat64, Sum3: sum3Float64, Sum4: sum4Float64, Prod: prodFloat64, Max: maxFloat64, Min: minFloat64}
	Bits    = kernel.Bits{And: and, Or: or, Xor: xor}
)

// on returns the vector at p, i bytes on.
func on[V any](p unsafe.Pointer, i int) *V { return (*V)(unsafe.Add(p, i)) }

// whole returns the addresses of the operands and the bytes of whole vectors, which the caller
// computes; f computes the rest. Slices would occupy registers that the loops need.
func whole(dst, a, b []byte, f kernel.Binary) (d, p, q unsafe.Pointer, n int) {
	a, b, n = a[:len(dst)], b[:len(dst)], len(dst)&^(width-1)
	if n < len(dst) {
		f(dst[n:], a[n:], b[n:])
	}
	return start(dst), start(a), start(b), n
}

// whole3 and whole4 return the addresses of more operands, and the bytes of whole vectors and all.
func whole3(dst, s0, s1, s2 []byte) (d, p, q, r unsafe.Pointer, n, m int) {
	return start(dst), start(s0[:len(dst)]), start(s1[:len(dst)]), start(s2[:len(dst)]), len(dst) &^ (width - 1), len(dst)
}

func whole4(dst, s0, s1, s2, s3 []byte) (d, p, q, r, s unsafe.Pointer, n, m int) {
	d, p, q, r, n, m = whole3(dst, s0, s1, s2)
	return d, p, q, r, start(s3[:m]), n, m
}

func bytes(p unsafe.Pointer, n, m int) []byte { return unsafe.Slice((*byte)(unsafe.Add(p, n)), m-n) }

func start[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

func sumInt32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Sum[int32])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i32](p, i).Add(*on[i32](q, i)), on[i32](p, i+width).Add(*on[i32](q, i+width)), on[i32](p, i+2*width).Add(*on[i32](q, i+2*width)), on[i32](p, i+3*width).Add(*on[i32](q, i+3*width))
		*on[i32](d, i), *on[i32](d, i+width), *on[i32](d, i+2*width), *on[i32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i32](d, i) = on[i32](p, i).Add(*on[i32](q, i))
	}
	end()
}

func sum3Int32(dst, s0, s1, s2 []byte) {
	d, p, q, r, n, m := whole3(dst, s0, s1, s2)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i32](p, i).Add(*on[i32](q, i)).Add(*on[i32](r, i)), on[i32](p, i+width).Add(*on[i32](q, i+width)).Add(*on[i32](r, i+width)), on[i32](p, i+2*width).Add(*on[i32](q, i+2*width)).Add(*on[i32](r, i+2*width)), on[i32](p, i+3*width).Add(*on[i32](q, i+3*width)).Add(*on[i32](r, i+3*width))
		*on[i32](d, i), *on[i32](d, i+width), *on[i32](d, i+2*width), *on[i32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i32](d, i) = on[i32](p, i).Add(*on[i32](q, i)).Add(*on[i32](r, i))
	}
	end()
	if n < m {
		plain.Sum3[int32](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m))
	}
}

func sum4Int32(dst, s0, s1, s2, s3 []byte) {
	d, p, q, r, s, n, m := whole4(dst, s0, s1, s2, s3)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i32](p, i).Add(*on[i32](q, i)).Add(*on[i32](r, i)).Add(*on[i32](s, i)), on[i32](p, i+width).Add(*on[i32](q, i+width)).Add(*on[i32](r, i+width)).Add(*on[i32](s, i+width)), on[i32](p, i+2*width).Add(*on[i32](q, i+2*width)).Add(*on[i32](r, i+2*width)).Add(*on[i32](s, i+2*width)), on[i32](p, i+3*width).Add(*on[i32](q, i+3*width)).Add(*on[i32](r, i+3*width)).Add(*on[i32](s, i+3*width))
		*on[i32](d, i), *on[i32](d, i+width), *on[i32](d, i+2*width), *on[i32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i32](d, i) = on[i32](p, i).Add(*on[i32](q, i)).Add(*on[i32](r, i)).Add(*on[i32](s, i))
	}
	end()
	if n < m {
		plain.Sum4[int32](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m), bytes(s, n, m))
	}
}

func prodInt32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Prod[int32])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i32](p, i).Mul(*on[i32](q, i)), on[i32](p, i+width).Mul(*on[i32](q, i+width)), on[i32](p, i+2*width).Mul(*on[i32](q, i+2*width)), on[i32](p, i+3*width).Mul(*on[i32](q, i+3*width))
		*on[i32](d, i), *on[i32](d, i+width), *on[i32](d, i+2*width), *on[i32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i32](d, i) = on[i32](p, i).Mul(*on[i32](q, i))
	}
	end()
}

func maxInt32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Max[int32, int64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i32](p, i).Max(*on[i32](q, i)), on[i32](p, i+width).Max(*on[i32](q, i+width)), on[i32](p, i+2*width).Max(*on[i32](q, i+2*width)), on[i32](p, i+3*width).Max(*on[i32](q, i+3*width))
		*on[i32](d, i), *on[i32](d, i+width), *on[i32](d, i+2*width), *on[i32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i32](d, i) = on[i32](p, i).Max(*on[i32](q, i))
	}
	end()
}

func minInt32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Min[int32, int64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i32](p, i).Min(*on[i32](q, i)), on[i32](p, i+width).Min(*on[i32](q, i+width)), on[i32](p, i+2*width).Min(*on[i32](q, i+2*width)), on[i32](p, i+3*width).Min(*on[i32](q, i+3*width))
		*on[i32](d, i), *on[i32](d, i+width), *on[i32](d, i+2*width), *on[i32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i32](d, i) = on[i32](p, i).Min(*on[i32](q, i))
	}
	end()
}

func sumInt64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Sum[int64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i64](p, i).Add(*on[i64](q, i)), on[i64](p, i+width).Add(*on[i64](q, i+width)), on[i64](p, i+2*width).Add(*on[i64](q, i+2*width)), on[i64](p, i+3*width).Add(*on[i64](q, i+3*width))
		*on[i64](d, i), *on[i64](d, i+width), *on[i64](d, i+2*width), *on[i64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i64](d, i) = on[i64](p, i).Add(*on[i64](q, i))
	}
	end()
}

func sum3Int64(dst, s0, s1, s2 []byte) {
	d, p, q, r, n, m := whole3(dst, s0, s1, s2)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i64](p, i).Add(*on[i64](q, i)).Add(*on[i64](r, i)), on[i64](p, i+width).Add(*on[i64](q, i+width)).Add(*on[i64](r, i+width)), on[i64](p, i+2*width).Add(*on[i64](q, i+2*width)).Add(*on[i64](r, i+2*width)), on[i64](p, i+3*width).Add(*on[i64](q, i+3*width)).Add(*on[i64](r, i+3*width))
		*on[i64](d, i), *on[i64](d, i+width), *on[i64](d, i+2*width), *on[i64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i64](d, i) = on[i64](p, i).Add(*on[i64](q, i)).Add(*on[i64](r, i))
	}
	end()
	if n < m {
		plain.Sum3[int64](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m))
	}
}

func sum4Int64(dst, s0, s1, s2, s3 []byte) {
	d, p, q, r, s, n, m := whole4(dst, s0, s1, s2, s3)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[i64](p, i).Add(*on[i64](q, i)).Add(*on[i64](r, i)).Add(*on[i64](s, i)), on[i64](p, i+width).Add(*on[i64](q, i+width)).Add(*on[i64](r, i+width)).Add(*on[i64](s, i+width)), on[i64](p, i+2*width).Add(*on[i64](q, i+2*width)).Add(*on[i64](r, i+2*width)).Add(*on[i64](s, i+2*width)), on[i64](p, i+3*width).Add(*on[i64](q, i+3*width)).Add(*on[i64](r, i+3*width)).Add(*on[i64](s, i+3*width))
		*on[i64](d, i), *on[i64](d, i+width), *on[i64](d, i+2*width), *on[i64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i64](d, i) = on[i64](p, i).Add(*on[i64](q, i)).Add(*on[i64](r, i)).Add(*on[i64](s, i))
	}
	end()
	if n < m {
		plain.Sum4[int64](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m), bytes(s, n, m))
	}
}

func maxInt64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Max[int64, int64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := greaterInt64(*on[i64](p, i), *on[i64](q, i)), greaterInt64(*on[i64](p, i+width), *on[i64](q, i+width)), greaterInt64(*on[i64](p, i+2*width), *on[i64](q, i+2*width)), greaterInt64(*on[i64](p, i+3*width), *on[i64](q, i+3*width))
		*on[i64](d, i), *on[i64](d, i+width), *on[i64](d, i+2*width), *on[i64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i64](d, i) = greaterInt64(*on[i64](p, i), *on[i64](q, i))
	}
	end()
}

func minInt64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Min[int64, int64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := lessInt64(*on[i64](p, i), *on[i64](q, i)), lessInt64(*on[i64](p, i+width), *on[i64](q, i+width)), lessInt64(*on[i64](p, i+2*width), *on[i64](q, i+2*width)), lessInt64(*on[i64](p, i+3*width), *on[i64](q, i+3*width))
		*on[i64](d, i), *on[i64](d, i+width), *on[i64](d, i+2*width), *on[i64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[i64](d, i) = lessInt64(*on[i64](p, i), *on[i64](q, i))
	}
	end()
}

// greaterInt64 returns x where x > y, else y, also if one is a NaN (kernel.Reductions), which Max
// of package archsimd does not promise, and which no set but AVX-512 has for int64.
// lessInt64 is the same for x < y.
func greaterInt64(x, y i64) i64 { return x.IfElse(x.Greater(y), y) }

func lessInt64(x, y i64) i64 { return x.IfElse(y.Greater(x), y) }

func sumFloat32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Sum[float32])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f32](p, i).Add(*on[f32](q, i)), on[f32](p, i+width).Add(*on[f32](q, i+width)), on[f32](p, i+2*width).Add(*on[f32](q, i+2*width)), on[f32](p, i+3*width).Add(*on[f32](q, i+3*width))
		*on[f32](d, i), *on[f32](d, i+width), *on[f32](d, i+2*width), *on[f32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f32](d, i) = on[f32](p, i).Add(*on[f32](q, i))
	}
	end()
}

func sum3Float32(dst, s0, s1, s2 []byte) {
	d, p, q, r, n, m := whole3(dst, s0, s1, s2)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f32](p, i).Add(*on[f32](q, i)).Add(*on[f32](r, i)), on[f32](p, i+width).Add(*on[f32](q, i+width)).Add(*on[f32](r, i+width)), on[f32](p, i+2*width).Add(*on[f32](q, i+2*width)).Add(*on[f32](r, i+2*width)), on[f32](p, i+3*width).Add(*on[f32](q, i+3*width)).Add(*on[f32](r, i+3*width))
		*on[f32](d, i), *on[f32](d, i+width), *on[f32](d, i+2*width), *on[f32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f32](d, i) = on[f32](p, i).Add(*on[f32](q, i)).Add(*on[f32](r, i))
	}
	end()
	if n < m {
		plain.Sum3[float32](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m))
	}
}

func sum4Float32(dst, s0, s1, s2, s3 []byte) {
	d, p, q, r, s, n, m := whole4(dst, s0, s1, s2, s3)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f32](p, i).Add(*on[f32](q, i)).Add(*on[f32](r, i)).Add(*on[f32](s, i)), on[f32](p, i+width).Add(*on[f32](q, i+width)).Add(*on[f32](r, i+width)).Add(*on[f32](s, i+width)), on[f32](p, i+2*width).Add(*on[f32](q, i+2*width)).Add(*on[f32](r, i+2*width)).Add(*on[f32](s, i+2*width)), on[f32](p, i+3*width).Add(*on[f32](q, i+3*width)).Add(*on[f32](r, i+3*width)).Add(*on[f32](s, i+3*width))
		*on[f32](d, i), *on[f32](d, i+width), *on[f32](d, i+2*width), *on[f32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f32](d, i) = on[f32](p, i).Add(*on[f32](q, i)).Add(*on[f32](r, i)).Add(*on[f32](s, i))
	}
	end()
	if n < m {
		plain.Sum4[float32](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m), bytes(s, n, m))
	}
}

func prodFloat32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Prod[float32])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f32](p, i).Mul(*on[f32](q, i)), on[f32](p, i+width).Mul(*on[f32](q, i+width)), on[f32](p, i+2*width).Mul(*on[f32](q, i+2*width)), on[f32](p, i+3*width).Mul(*on[f32](q, i+3*width))
		*on[f32](d, i), *on[f32](d, i+width), *on[f32](d, i+2*width), *on[f32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f32](d, i) = on[f32](p, i).Mul(*on[f32](q, i))
	}
	end()
}

func maxFloat32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.MaxFloat[float32, uint32])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := greaterFloat32(*on[f32](p, i), *on[f32](q, i)), greaterFloat32(*on[f32](p, i+width), *on[f32](q, i+width)), greaterFloat32(*on[f32](p, i+2*width), *on[f32](q, i+2*width)), greaterFloat32(*on[f32](p, i+3*width), *on[f32](q, i+3*width))
		*on[f32](d, i), *on[f32](d, i+width), *on[f32](d, i+2*width), *on[f32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f32](d, i) = greaterFloat32(*on[f32](p, i), *on[f32](q, i))
	}
	end()
}

func minFloat32(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.MinFloat[float32, uint32])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := lessFloat32(*on[f32](p, i), *on[f32](q, i)), lessFloat32(*on[f32](p, i+width), *on[f32](q, i+width)), lessFloat32(*on[f32](p, i+2*width), *on[f32](q, i+2*width)), lessFloat32(*on[f32](p, i+3*width), *on[f32](q, i+3*width))
		*on[f32](d, i), *on[f32](d, i+width), *on[f32](d, i+2*width), *on[f32](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f32](d, i) = lessFloat32(*on[f32](p, i), *on[f32](q, i))
	}
	end()
}

// greaterFloat32 returns x where x > y, else y, also if one is a NaN (kernel.Reductions), which Max
// of package archsimd does not promise, and which no set but AVX-512 has for int64.
// lessFloat32 is the same for x < y.
func greaterFloat32(x, y f32) f32 { return x.IfElse(x.Greater(y), y) }

func lessFloat32(x, y f32) f32 { return x.IfElse(y.Greater(x), y) }

func sumFloat64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Sum[float64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f64](p, i).Add(*on[f64](q, i)), on[f64](p, i+width).Add(*on[f64](q, i+width)), on[f64](p, i+2*width).Add(*on[f64](q, i+2*width)), on[f64](p, i+3*width).Add(*on[f64](q, i+3*width))
		*on[f64](d, i), *on[f64](d, i+width), *on[f64](d, i+2*width), *on[f64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f64](d, i) = on[f64](p, i).Add(*on[f64](q, i))
	}
	end()
}

func sum3Float64(dst, s0, s1, s2 []byte) {
	d, p, q, r, n, m := whole3(dst, s0, s1, s2)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f64](p, i).Add(*on[f64](q, i)).Add(*on[f64](r, i)), on[f64](p, i+width).Add(*on[f64](q, i+width)).Add(*on[f64](r, i+width)), on[f64](p, i+2*width).Add(*on[f64](q, i+2*width)).Add(*on[f64](r, i+2*width)), on[f64](p, i+3*width).Add(*on[f64](q, i+3*width)).Add(*on[f64](r, i+3*width))
		*on[f64](d, i), *on[f64](d, i+width), *on[f64](d, i+2*width), *on[f64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f64](d, i) = on[f64](p, i).Add(*on[f64](q, i)).Add(*on[f64](r, i))
	}
	end()
	if n < m {
		plain.Sum3[float64](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m))
	}
}

func sum4Float64(dst, s0, s1, s2, s3 []byte) {
	d, p, q, r, s, n, m := whole4(dst, s0, s1, s2, s3)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f64](p, i).Add(*on[f64](q, i)).Add(*on[f64](r, i)).Add(*on[f64](s, i)), on[f64](p, i+width).Add(*on[f64](q, i+width)).Add(*on[f64](r, i+width)).Add(*on[f64](s, i+width)), on[f64](p, i+2*width).Add(*on[f64](q, i+2*width)).Add(*on[f64](r, i+2*width)).Add(*on[f64](s, i+2*width)), on[f64](p, i+3*width).Add(*on[f64](q, i+3*width)).Add(*on[f64](r, i+3*width)).Add(*on[f64](s, i+3*width))
		*on[f64](d, i), *on[f64](d, i+width), *on[f64](d, i+2*width), *on[f64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f64](d, i) = on[f64](p, i).Add(*on[f64](q, i)).Add(*on[f64](r, i)).Add(*on[f64](s, i))
	}
	end()
	if n < m {
		plain.Sum4[float64](bytes(d, n, m), bytes(p, n, m), bytes(q, n, m), bytes(r, n, m), bytes(s, n, m))
	}
}

func prodFloat64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Prod[float64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[f64](p, i).Mul(*on[f64](q, i)), on[f64](p, i+width).Mul(*on[f64](q, i+width)), on[f64](p, i+2*width).Mul(*on[f64](q, i+2*width)), on[f64](p, i+3*width).Mul(*on[f64](q, i+3*width))
		*on[f64](d, i), *on[f64](d, i+width), *on[f64](d, i+2*width), *on[f64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f64](d, i) = on[f64](p, i).Mul(*on[f64](q, i))
	}
	end()
}

func maxFloat64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.MaxFloat[float64, uint64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := greaterFloat64(*on[f64](p, i), *on[f64](q, i)), greaterFloat64(*on[f64](p, i+width), *on[f64](q, i+width)), greaterFloat64(*on[f64](p, i+2*width), *on[f64](q, i+2*width)), greaterFloat64(*on[f64](p, i+3*width), *on[f64](q, i+3*width))
		*on[f64](d, i), *on[f64](d, i+width), *on[f64](d, i+2*width), *on[f64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f64](d, i) = greaterFloat64(*on[f64](p, i), *on[f64](q, i))
	}
	end()
}

func minFloat64(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.MinFloat[float64, uint64])
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := lessFloat64(*on[f64](p, i), *on[f64](q, i)), lessFloat64(*on[f64](p, i+width), *on[f64](q, i+width)), lessFloat64(*on[f64](p, i+2*width), *on[f64](q, i+2*width)), lessFloat64(*on[f64](p, i+3*width), *on[f64](q, i+3*width))
		*on[f64](d, i), *on[f64](d, i+width), *on[f64](d, i+2*width), *on[f64](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[f64](d, i) = lessFloat64(*on[f64](p, i), *on[f64](q, i))
	}
	end()
}

// greaterFloat64 returns x where x > y, else y, also if one is a NaN (kernel.Reductions), which Max
// of package archsimd does not promise, and which no set but AVX-512 has for int64.
// lessFloat64 is the same for x < y.
func greaterFloat64(x, y f64) f64 { return x.IfElse(x.Greater(y), y) }

func lessFloat64(x, y f64) f64 { return x.IfElse(y.Greater(x), y) }

func and(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.And)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[u8](p, i).And(*on[u8](q, i)), on[u8](p, i+width).And(*on[u8](q, i+width)), on[u8](p, i+2*width).And(*on[u8](q, i+2*width)), on[u8](p, i+3*width).And(*on[u8](q, i+3*width))
		*on[u8](d, i), *on[u8](d, i+width), *on[u8](d, i+2*width), *on[u8](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[u8](d, i) = on[u8](p, i).And(*on[u8](q, i))
	}
	end()
}

func or(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Or)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[u8](p, i).Or(*on[u8](q, i)), on[u8](p, i+width).Or(*on[u8](q, i+width)), on[u8](p, i+2*width).Or(*on[u8](q, i+2*width)), on[u8](p, i+3*width).Or(*on[u8](q, i+3*width))
		*on[u8](d, i), *on[u8](d, i+width), *on[u8](d, i+2*width), *on[u8](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[u8](d, i) = on[u8](p, i).Or(*on[u8](q, i))
	}
	end()
}

func xor(dst, a, b []byte) {
	d, p, q, n := whole(dst, a, b, plain.Xor)
	i := 0
	for ; i <= n-4*width; i += 4 * width {
		w, x, y, z := on[u8](p, i).Xor(*on[u8](q, i)), on[u8](p, i+width).Xor(*on[u8](q, i+width)), on[u8](p, i+2*width).Xor(*on[u8](q, i+2*width)), on[u8](p, i+3*width).Xor(*on[u8](q, i+3*width))
		*on[u8](d, i), *on[u8](d, i+width), *on[u8](d, i+2*width), *on[u8](d, i+3*width) = w, x, y, z
	}
	for ; i < n; i += width {
		*on[u8](d, i) = on[u8](p, i).Xor(*on[u8](q, i))
	}
	end()
}
