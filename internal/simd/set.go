package simd

import (
	"gobench/internal/simd/kernel"
	x1 "gobench/internal/simd/lanes/x1"
)

// The kernels of a Set.
type (
	Integer = kernel.Integer
	Number  = kernel.Number
	Binary  = kernel.Binary
	Kernels = kernel.Reductions
	Bits    = kernel.Bits
)

// A Set holds all kernels for one instruction set. It is read-only.
type Set struct {
	Level string // "avx512", "avx2" or "none"

	Int8, Int16, Int32, Int64     Kernels
	Uint8, Uint16, Uint32, Uint64 Kernels
	Float32, Float64              Kernels
	Complex64, Complex128         Kernels

	copy     func(dst, src []byte) // of Copiers; nil: Go's
	variants []variant             // of parts

	Bits

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
	return Kernels{Sum: x1.Sum[T], Prod: x1.Prod[T], Sum3: x1.Sum3[T], Sum4: x1.Sum4[T]}
}

// plainInteger orders integers as the wider type W.
func plainInteger[T, W Integer]() Kernels {
	k := plainNumber[T]()
	k.Max, k.Min = x1.Max[T, W], x1.Min[T, W]
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

		Bits: Bits{And: x1.And, Or: x1.Or, Xor: x1.Xor},

		Grid: Stencils{Apply: plainApply, Restrict: plainRestrict, Prolong: plainProlong, Norm: plainNorm},
		Fourier: Fourier{Columns: plainColumns, Scaled: plainScaled, FromColumns: plainFromColumns,
			Rows: plainRowsOf, FromRows: plainFromRows, Radix4: plainRadix4, Radix2: plainRadix2},
		Solver:    Solver{Rows: plainRows[int32], NearRows: plainRows[uint16], Dot: x1.Dot, Update: x1.Update, Direction: x1.Direction},
		Polar:     plainPolar,
		Partition: plainPartition,
		Tally:     plainTally,
		Yee32:     x1.YeeOf[float32](), Yee64: x1.YeeOf[float64](),
		Flow: x1.Flow, Transposer: Transposer{plainToLanes, plainToRows}, Blocks: x1.Blocks, Penta: x1.Penta, Relax: x1.Relax,
	}
	s.Float32.Max, s.Float32.Min = x1.MaxFloat[float32, uint32], x1.MinFloat[float32, uint32]
	s.Float64.Max, s.Float64.Min = x1.MaxFloat[float64, uint64], x1.MinFloat[float64, uint64]
	return s
}
