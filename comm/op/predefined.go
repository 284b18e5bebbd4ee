package op

import (
	"reflect"
	"strconv"

	"gobench/internal/simd"
)

// The predefined operators, made once.
var sums, prods, maxima, minima, bitAnds, bitOrs, bitXors table

func init() {
	s := simd.Best()
	ordered(reflect.Int8, s.Int8)
	ordered(reflect.Int16, s.Int16)
	ordered(reflect.Int32, s.Int32)
	ordered(reflect.Int64, s.Int64)
	ordered(reflect.Uint8, s.Uint8)
	ordered(reflect.Uint16, s.Uint16)
	ordered(reflect.Uint32, s.Uint32)
	ordered(reflect.Uint64, s.Uint64)
	ordered(reflect.Float32, s.Float32)
	ordered(reflect.Float64, s.Float64)
	numbers(reflect.Complex64, s.Complex64)
	numbers(reflect.Complex128, s.Complex128)
	if strconv.IntSize == 64 {
		ordered(reflect.Int, s.Int64)
		ordered(reflect.Uint, s.Uint64)
	} else {
		ordered(reflect.Int, s.Int32)
		ordered(reflect.Uint, s.Uint32)
	}
	for kind := reflect.Int; kind <= reflect.Uint64; kind++ {
		bytes := sums[kind].Elem
		bitAnds[kind] = predefined("band", kind, bytes, s.And)
		bitOrs[kind] = predefined("bor", kind, bytes, s.Or)
		bitXors[kind] = predefined("bxor", kind, bytes, s.Xor)
	}
}

func predefined(name string, kind reflect.Kind, bytes int, combine func(dst, left, right []byte)) *Op {
	return &Op{Name: name, Type: kind.String(), Elem: bytes, Commutative: true, combine: combine}
}

func numbers[T simd.Number](kind reflect.Kind, a simd.Arithmetic[T]) {
	sum := predefined("sum", kind, size[T](), lift(a.Sum))
	sum.sum3 = func(dst, s0, s1, s2 []byte) {
		a.Sum3(view[T](dst), view[T](s0), view[T](s1), view[T](s2))
	}
	sum.sum4 = func(dst, s0, s1, s2, s3 []byte) {
		a.Sum4(view[T](dst), view[T](s0), view[T](s1), view[T](s2), view[T](s3))
	}
	sums[kind] = sum
	prods[kind] = predefined("prod", kind, size[T](), lift(a.Prod))
}

func ordered[T simd.Real](kind reflect.Kind, k simd.Kernels[T]) {
	numbers(kind, k.Arithmetic)
	maxima[kind] = predefined("max", kind, size[T](), lift(k.Max))
	minima[kind] = predefined("min", kind, size[T](), lift(k.Min))
}
