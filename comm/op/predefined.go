package op

import (
	"reflect"
	"strconv"

	"gobench/internal/simd"
)

// A table holds a predefined operator for each kind of number, nil if it has no
// such operator. Rebuild alone writes it.
type table [reflect.Complex128 + 1]*Op

// of returns the operator for T. It uses no map and allocates nothing.
func of[T any](t *table) *Op { return t[reflect.TypeFor[T]().Kind()] }

// The operators with vector kernels, made once.
var sums, prods, maxima, minima, bitAnds, bitOrs, bitXors, replacements, noOps table

func init() { Rebuild() }

// All returns the predefined operators on numbers, ordered by name as in this package and by type.
func All() (all []*Op) {
	for _, t := range []*table{&sums, &prods, &maxima, &minima, &bitAnds, &bitOrs, &bitXors, &ands, &ors, &xors} {
		for _, o := range t {
			if o != nil {
				all = append(all, o)
			}
		}
	}
	return all
}

// Rebuild makes the predefined operators anew with the kernels of simd.Best. No operation may be
// under way.
func Rebuild() {
	s := simd.Best()
	ordered[int8](s.Int8)
	ordered[int16](s.Int16)
	ordered[int32](s.Int32)
	ordered[int64](s.Int64)
	ordered[uint8](s.Uint8)
	ordered[uint16](s.Uint16)
	ordered[uint32](s.Uint32)
	ordered[uint64](s.Uint64)
	ordered[float32](s.Float32)
	ordered[float64](s.Float64)
	numbers[complex64](s.Complex64)
	numbers[complex128](s.Complex128)
	if strconv.IntSize == 64 {
		ordered[int](s.Int64)
		ordered[uint](s.Uint64)
	} else {
		ordered[int](s.Int32)
		ordered[uint](s.Uint32)
	}
	for kind := reflect.Int; kind <= reflect.Uint64; kind++ {
		bytes := sums[kind].Elem
		bitAnds[kind] = predefined("band", kind, bytes, s.And)
		bitOrs[kind] = predefined("bor", kind, bytes, s.Or)
		bitXors[kind] = predefined("bxor", kind, bytes, s.Xor)
	}
}

func predefined(name string, kind reflect.Kind, bytes int, combine func(dst, left, right []byte)) *Op {
	return &Op{Name: name, Type: kind.String(), Elem: bytes, Commutative: true, predefined: true, combine: combine}
}

func numbers[T Number](k simd.Kernels) {
	kind := reflect.TypeFor[T]().Kind()
	sums[kind] = predefined("sum", kind, size[T](), k.Sum)
	sums[kind].sum3, sums[kind].sum4 = k.Sum3, k.Sum4
	choice := Op{Name: "replace", Type: kind.String(), Elem: size[T](), combine: func(dst, _, right []byte) { copy(dst, right) }}
	replacements[kind] = &choice
	other := choice
	other.Name, other.combine = "no_op", func(dst, left, _ []byte) { copy(dst, left) }
	noOps[kind] = &other
	prods[kind] = predefined("prod", kind, size[T](), k.Prod)
}

func ordered[T Ordered](k simd.Kernels) {
	numbers[T](k)
	kind := reflect.TypeFor[T]().Kind()
	maxima[kind] = predefined("max", kind, size[T](), k.Max)
	minima[kind] = predefined("min", kind, size[T](), k.Min)
}

// Sum adds. Integers wrap around.
func Sum[T Number]() *Op { return of[T](&sums) }

// Prod multiplies. Integers wrap around.
func Prod[T Number]() *Op { return of[T](&prods) }

// Max selects the greater one: left > right ? left : right. It selects right if the two
// are zeros of different signs or one is a NaN, so with NaNs the result depends
// on the order.
func Max[T Ordered]() *Op { return of[T](&maxima) }

// Min selects the smaller one: left < right ? left : right, and right in the same cases as Max.
func Min[T Ordered]() *Op { return of[T](&minima) }

// BAnd is the bitwise and.
func BAnd[T Integer]() *Op { return of[T](&bitAnds) }

// BOr is the bitwise or.
func BOr[T Integer]() *Op { return of[T](&bitOrs) }

// BXor is the bitwise exclusive or.
func BXor[T Integer]() *Op { return of[T](&bitXors) }

// LAnd is logical and: 1 if both are nonzero, else 0. It is defined for integers, as in MPI.
func LAnd[T Integer]() *Op { return of[T](&ands) }

// LOr is logical or: 1 if at least one is nonzero, else 0.
func LOr[T Integer]() *Op { return of[T](&ors) }

// LXor is logical exclusive or: 1 if exactly one is nonzero, else 0.
func LXor[T Integer]() *Op { return of[T](&xors) }

var ands, ors, xors table

func init() {
	logical[int]()
	logical[int8]()
	logical[int16]()
	logical[int32]()
	logical[int64]()
	logical[uint]()
	logical[uint8]()
	logical[uint16]()
	logical[uint32]()
	logical[uint64]()
}

func logical[T Integer]() {
	kind := reflect.TypeFor[T]().Kind()
	ands[kind] = predefined("land", kind, size[T](), lift(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = truth[T](a[i] != 0 && b[i] != 0)
		}
	}))
	ors[kind] = predefined("lor", kind, size[T](), lift(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = truth[T](a[i]|b[i] != 0)
		}
	}))
	xors[kind] = predefined("lxor", kind, size[T](), lift(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = truth[T]((a[i] != 0) != (b[i] != 0))
		}
	}))
}

func truth[T Integer](is bool) T {
	if is {
		return 1
	}
	return 0
}
