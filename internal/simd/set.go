package simd

// Integer is an integer type of known size.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Real is a number that can be ordered.
type Real interface{ Integer | float32 | float64 }

// Number is an element that can be added and multiplied.
type Number interface{ Real | complex64 | complex128 }

// Binary sets dst[i] = a[i] OP b[i]. The lengths must be equal. dst may be the
// same slice as a or b, and must not overlap them otherwise. It never allocates.
type Binary[T any] func(dst, a, b []T)

// Arithmetic is what can be done with all numbers. Integers wrap around.
type Arithmetic[T any] struct {
	Sum, Prod Binary[T]
	// Sum3 and Sum4 add several sources in one pass over memory, from left to
	// right: dst[i] = (s0[i] + s1[i]) + s2[i], with the roundings of Sum called
	// twice. dst may be the same slice as any source.
	Sum3 func(dst, s0, s1, s2 []T)
	Sum4 func(dst, s0, s1, s2, s3 []T)
}

// Kernels is what can be done with numbers that have an order.
//
// Max is a > b ? a : b and Min is a < b ? a : b, as the MPI libraries have it:
// b where one of the two is a NaN, and b where they are zeros of two signs.
type Kernels[T any] struct {
	Arithmetic[T]
	Max, Min Binary[T]
}

// Set is all kernels for one instruction set. It is read only.
type Set struct {
	Level string // "avx512", "avx2" or "none"

	Int8    Kernels[int8]
	Int16   Kernels[int16]
	Int32   Kernels[int32]
	Int64   Kernels[int64]
	Uint8   Kernels[uint8]
	Uint16  Kernels[uint16]
	Uint32  Kernels[uint32]
	Uint64  Kernels[uint64]
	Float32 Kernels[float32]
	Float64 Kernels[float64]

	Complex64  Arithmetic[complex64]
	Complex128 Arithmetic[complex128]

	// And, Or and Xor combine bits, whatever they are the bits of.
	And, Or, Xor Binary[byte]
}

var all = sets()

// Sets returns the sets that this build has and this machine can run: plain Go
// first, the best last.
func Sets() []*Set { return all }

// Best returns the set to use.
func Best() *Set { return all[len(all)-1] }

// Level names the instruction set in force, for the record of a run.
func Level() string { return Best().Level }

func plainArithmetic[T Number]() Arithmetic[T] {
	return Arithmetic[T]{Sum: plainSum[T], Prod: plainProd[T], Sum3: plainSum3[T], Sum4: plainSum4[T]}
}

// plainKernels orders integers as the wider type W.
func plainKernels[T, W Integer]() Kernels[T] {
	return Kernels[T]{plainArithmetic[T](), plainMax[T, W], plainMin[T, W]}
}

// plain returns the set that every machine runs.
func plain() *Set {
	return &Set{
		Level: "none",

		Int8:    plainKernels[int8, int64](),
		Int16:   plainKernels[int16, int64](),
		Int32:   plainKernels[int32, int64](),
		Int64:   plainKernels[int64, int64](),
		Uint8:   plainKernels[uint8, uint64](),
		Uint16:  plainKernels[uint16, uint64](),
		Uint32:  plainKernels[uint32, uint64](),
		Uint64:  plainKernels[uint64, uint64](),
		Float32: Kernels[float32]{plainArithmetic[float32](), plainMaxFloat32, plainMinFloat32},
		Float64: Kernels[float64]{plainArithmetic[float64](), plainMaxFloat64, plainMinFloat64},

		Complex64:  plainArithmetic[complex64](),
		Complex128: plainArithmetic[complex128](),

		And: plainAnd, Or: plainOr, Xor: plainXor,
	}
}
