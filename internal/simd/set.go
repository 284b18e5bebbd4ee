package simd

// Integer is an integer type of known size.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Number is an element that can be added and multiplied.
type Number interface {
	Integer | float32 | float64 | complex64 | complex128
}

// Binary sets dst[i] = a[i] OP b[i] for all elements. Elements lie in memory as
// bytes, as messages have them, and at any address. The lengths must be equal and
// a multiple of an element's. dst may be the same slice as a or b, and must not
// overlap them otherwise. A source shorter than dst panics. Nothing is allocated.
type Binary func(dst, a, b []byte)

// Kernels holds the kernels for one element type.
type Kernels struct {
	// Sum and Prod: integers wrap around.
	Sum, Prod Binary
	// Sum3 and Sum4 add several sources in one pass over memory, from left to
	// right: dst[i] = (s0[i] + s1[i]) + s2[i], with the roundings of Sum called
	// twice. dst may be the same slice as any source.
	Sum3 func(dst, s0, s1, s2 []byte)
	Sum4 func(dst, s0, s1, s2, s3 []byte)
	// Max is a > b ? a : b and Min is a < b ? a : b, as in the MPI libraries: b if one of the two
	// is a NaN, or if they are zeros of different signs. They are nil for complex numbers.
	Max, Min Binary
}

// A Set holds all kernels for one instruction set. It is read-only.
type Set struct {
	Level string // "avx512", "avx2" or "none"

	Int8, Int16, Int32, Int64     Kernels
	Uint8, Uint16, Uint32, Uint64 Kernels
	Float32, Float64              Kernels
	Complex64, Complex128         Kernels

	copy func(dst, src []byte) // of Copiers; nil: Go's

	// And, Or and Xor are bitwise, for every integer type.
	And, Or, Xor Binary

	// Grid holds stencils on grids of float64.
	Grid Stencils
	// Fourier holds the transforms of package ft.
	Fourier Fourier
	Solver  Solver // of package cg
	Polar   Polar  // of package ep
	// Partition divides keys by their values, for package is.
	Partition Partition
	Tally     Tally // of package is
	// Yee32 and Yee64 update the fields of the FDTD method.
	Yee32 Yee[float32]
	Yee64 Yee[float64]
	// Flow, Transposer, Blocks, Penta and Relax are the kernels of bt, lu and sp.
	Flow       Flow
	Transposer Transposer
	Blocks     Blocks
	Penta      Penta
	Relax      Relax
}

var all = sets()

// Sets returns the sets that this build has and this machine can run: plain Go
// first, the best last.
func Sets() []*Set { return all }

func plainNumber[T Number]() Kernels {
	return Kernels{Sum: plainSum[T], Prod: plainProd[T], Sum3: plainSum3[T], Sum4: plainSum4[T]}
}

// plainInteger orders integers as the wider type W.
func plainInteger[T, W Integer]() Kernels {
	k := plainNumber[T]()
	k.Max, k.Min = plainMax[T, W], plainMin[T, W]
	return k
}

// plain returns the set that every machine runs.
func plain() *Set {
	s := &Set{
		Level: "none",

		Int8:       plainInteger[int8, int64](),
		Int16:      plainInteger[int16, int64](),
		Int32:      plainInteger[int32, int64](),
		Int64:      plainInteger[int64, int64](),
		Uint8:      plainInteger[uint8, uint64](),
		Uint16:     plainInteger[uint16, uint64](),
		Uint32:     plainInteger[uint32, uint64](),
		Uint64:     plainInteger[uint64, uint64](),
		Float32:    plainNumber[float32](),
		Float64:    plainNumber[float64](),
		Complex64:  plainNumber[complex64](),
		Complex128: plainNumber[complex128](),

		And: plainAnd, Or: plainOr, Xor: plainXor,

		Grid:      plainStencils(),
		Fourier:   plainFourier(),
		Solver:    plainSolver(),
		Polar:     plainPolar,
		Partition: plainPartition,
		Tally:     plainTally,
		Yee32:     plainYee[float32](), Yee64: plainYee[float64](),
		Flow: plainFlow(), Transposer: plainTransposer(), Blocks: plainBlocks(), Penta: plainPenta(), Relax: plainRelax(),
	}
	s.Float32.Max, s.Float32.Min = plainMaxFloat32, plainMinFloat32
	s.Float64.Max, s.Float64.Min = plainMaxFloat64, plainMinFloat64
	return s
}
