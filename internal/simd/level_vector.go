//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"

	"golang.org/x/sys/cpu"
)

// built reports whether this build has vector loops.
const built = true

// sets returns plain Go and the instruction sets of this processor. A set inherits the kernels of
// the one before it for which it has none of its own.
func sets() []*Set {
	list := []*Set{plain()}
	if archsimd.X86.AVX2() {
		s := *list[0]
		s.Level = "avx2"
		s.sumAVX2()
		s.fusedAVX2()
		s.prodAVX2()
		s.maxAVX2()
		s.minAVX2()
		s.copyAVX2()
		s.bitsAVX2()
		s.yeeAVX2()
		s.polarAVX2()
		s.partitionAVX2()
		s.tallyAVX2()
		if archsimd.X86.FMA() {
			s.solverAVX2()
			s.gridAVX2()
			s.fourierAVX2()
			s.transposeAVX2()
			s.flowAVX2()
			s.blockAVX2()
			s.pentaAVX2()
			s.relaxAVX2()
		}
		list = append(list, &s)
	}
	if archsimd.X86.AVX512() && cpu.X86.HasBMI2 { // rows_avx512.s has instructions of BMI2
		s := *list[len(list)-1]
		s.Level = "avx512"
		s.sumAVX512()
		s.fusedAVX512()
		s.prodAVX512()
		s.maxAVX512()
		s.minAVX512()
		s.copyAVX512()
		s.bitsAVX512()
		s.yeeAVX512()
		s.solverAVX512()
		s.flowAVX512()
		s.blockAVX512()
		s.pentaAVX512()
		s.relaxAVX512()
		list = append(list, &s)
	}
	return list
}
