//go:build goexperiment.simd && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"

	x4 "gobench/internal/simd/lanes/x4"
	x8 "gobench/internal/simd/lanes/x8"

	"golang.org/x/sys/cpu"
)

// built reports whether this build has vector loops.
const built = true

// sets returns plain Go and the instruction sets of this processor. A set inherits the kernels of
// the one before it that it does not define itself.
func sets() []*Set {
	list := []*Set{plain()}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		s := *list[0]
		s.Level = "avx2"
		s.Int32, s.Int64, s.Float32, s.Float64, s.Bits = x4.Int32, x4.Int64, x4.Float32, x4.Float64, x4.Bits
		s.Flow, s.Blocks, s.Penta, s.Relax = x4.Flow, x4.Blocks, x4.Penta, x4.Relax
		s.Yee32, s.Yee64, s.copy = x4.Yee32, x4.Yee64, x4.Copy
		s.Solver.Dot, s.Solver.Update, s.Solver.Direction = x4.Dot, x4.Update, x4.Direction
		s.Polar, s.Partition, s.Transposer = polarAVX2, partitionAVX2, Transposer{toLanesAVX2, toRowsAVX2}
		s.Grid = Stencils{Apply: applyAVX2, Restrict: restrictAVX2, Prolong: prolongAVX2, Norm: normAVX2}
		s.Fourier = Fourier{Columns: columnsAVX2, Scaled: scaledAVX2, FromColumns: fromColumnsAVX2,
			Rows: rowsOfAVX2, FromRows: fromRowsAVX2, Radix4: radix4AVX2, Radix2: radix2AVX2}
		s.tallyAVX2()
		list = append(list, &s)
	}
	if archsimd.X86.AVX512() && cpu.X86.HasBMI2 { // rows_avx512.s has instructions of BMI2
		s := *list[len(list)-1]
		s.Level = "avx512"
		s.Int32, s.Int64, s.Float32, s.Float64, s.Bits = x8.Int32, x8.Int64, x8.Float32, x8.Float64, x8.Bits
		s.Flow, s.Blocks, s.Penta, s.Relax = x8.Flow, x8.Blocks, x8.Penta, x8.Relax
		s.Yee32, s.Yee64, s.copy = x8.Yee32, x8.Yee64, x8.Copy
		s.Solver.Update, s.Solver.Direction = x8.Update, x8.Direction
		s.yeeAVX512()
		s.rowsAVX512()
		list = append(list, &s)
	}
	return list
}
