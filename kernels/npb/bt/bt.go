// Package bt is the pseudo-application BT of the NAS Parallel Benchmarks: block tridiagonal systems
// of 5x5 blocks along the lines of each axis in turn (NASA RNR-94-007, section 4.3; distribution as
// in NPB 3.4-MPI).
//
// Its bottleneck is the arithmetic of the blocks.
//
// The implementation differs from the official program in the order of work, which does not change
// the results: eight lines are solved at a time, one in each lane of vectors; blocks are computed
// where they are needed; and the last sweep adds the result to the solution.
package bt

import (
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// Kernel describes BT.
func Kernel() *npb.Kernel { return flow.Partitioned(Code(), flow.Blocks) }

// Code returns the classes of BT.
func Code() *flow.Code {
	return &flow.Code{
		Name:       "bt",
		About:      "Navier-Stokes equations by block tridiagonal systems: arithmetic on 5x5 blocks, messages along each axis",
		Sizes:      sizes,
		References: references,
		Operations: func(n, square, mean float64) float64 { return 3478.8*n - 17655.7*square + 28023.7*mean },
		Input:      "inputbt.data",
	}
}

// sizes holds the parameters of the official classes.
var sizes = map[npb.Class]flow.Size{
	npb.S: {N: 12, Steps: 60, Dt: 0.010},
	npb.W: {N: 24, Steps: 200, Dt: 0.0008},
	npb.A: {N: 64, Steps: 200, Dt: 0.0008},
	npb.B: {N: 102, Steps: 200, Dt: 0.0003},
	npb.C: {N: 162, Steps: 200, Dt: 0.0001},
	npb.D: {N: 408, Steps: 250, Dt: 0.00002},
	npb.E: {N: 1020, Steps: 250, Dt: 4e-6},
}

// Zoned describes BT-MZ, the multi-zone version.
func Zoned() *npb.Kernel { return flow.Zoned(ZonedCode()) }

// ZonedCode returns the classes of BT-MZ.
func ZonedCode() *flow.ZonedCode {
	return flow.ZonedPartitioned(Code(), meshes, zonedReferences, "BT on zones of unequal sizes: load balance of ranks, threads inside of zones", flow.Blocks)
}

// meshes holds the parameters of the official classes of BT-MZ.
var meshes = map[npb.Class]flow.Mesh{
	npb.S: {N: [3]int{24, 24, 6}, Zones: [2]int{2, 2}, Ratio: 3, Steps: 60, Dt: 0.01},
	npb.W: {N: [3]int{64, 64, 8}, Zones: [2]int{4, 4}, Ratio: 4.5, Steps: 200, Dt: 0.0008},
	npb.A: {N: [3]int{128, 128, 16}, Zones: [2]int{4, 4}, Ratio: 4.5, Steps: 200, Dt: 0.0008},
	npb.B: {N: [3]int{304, 208, 17}, Zones: [2]int{8, 8}, Ratio: 4.5, Steps: 200, Dt: 0.0003},
	npb.C: {N: [3]int{480, 320, 28}, Zones: [2]int{16, 16}, Ratio: 4.5, Steps: 200, Dt: 0.0001},
	npb.D: {N: [3]int{1632, 1216, 34}, Zones: [2]int{32, 32}, Ratio: 4.5, Steps: 250, Dt: 0.00002},
	npb.E: {N: [3]int{4224, 3456, 92}, Zones: [2]int{64, 64}, Ratio: 4.5, Steps: 250, Dt: 4e-6},
}
