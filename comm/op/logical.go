package op

import "reflect"

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
