// Package sp is the pseudo-application SP of the NAS Parallel Benchmarks: scalar pentadiagonal
// systems along the lines of each axis in turn, for the characteristic variables of that axis (NASA
// RNR-94-007, section 4.2; distribution as in NPB 3.4-MPI).
//
// Its bottleneck is the memory bandwidth.
//
// The implementation differs from the official program in the order of work, which does not change
// the results: eight lines are solved at a time, one in each lane of vectors; the bands are
// computed where they are needed; and the transforms between the axes are done on the way into and
// out of the solvers.
package sp

import (
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// Kernel describes SP.
func Kernel() *npb.Kernel { return flow.Partitioned(Code(), flow.Pentadiagonal) }

// Code returns the classes of SP.
func Code() *flow.Code {
	return &flow.Code{
		Name:       "sp",
		About:      "Navier-Stokes equations by scalar pentadiagonal systems: memory bandwidth, messages along each axis",
		Sizes:      sizes,
		References: references,
		Operations: func(n, square, mean float64) float64 {
			return 881.174*n - 4683.91*square + 11484.5*mean - 19272.4
		},
		Input: "inputsp.data",
	}
}

// sizes holds the parameters of the official classes.
var sizes = map[npb.Class]flow.Size{
	npb.S: {N: 12, Steps: 100, Dt: 0.015},
	npb.W: {N: 36, Steps: 400, Dt: 0.0015},
	npb.A: {N: 64, Steps: 400, Dt: 0.0015},
	npb.B: {N: 102, Steps: 400, Dt: 0.001},
	npb.C: {N: 162, Steps: 400, Dt: 0.00067},
	npb.D: {N: 408, Steps: 500, Dt: 0.0003},
	npb.E: {N: 1020, Steps: 500, Dt: 1e-4},
}

// Zoned describes SP-MZ, the multi-zone version.
func Zoned() *npb.Kernel { return flow.Zoned(ZonedCode()) }

// ZonedCode returns the classes of SP-MZ.
func ZonedCode() *flow.ZonedCode {
	return flow.ZonedPartitioned(Code(), meshes, zonedReferences, "SP on zones of equal sizes: memory bandwidth, threads inside of zones", flow.Pentadiagonal)
}

// meshes holds the parameters of the official classes of SP-MZ.
var meshes = map[npb.Class]flow.Mesh{
	npb.S: {N: [3]int{24, 24, 6}, Zones: [2]int{2, 2}, Steps: 100, Dt: 0.015},
	npb.W: {N: [3]int{64, 64, 8}, Zones: [2]int{4, 4}, Steps: 400, Dt: 0.0015},
	npb.A: {N: [3]int{128, 128, 16}, Zones: [2]int{4, 4}, Steps: 400, Dt: 0.0015},
	npb.B: {N: [3]int{304, 208, 17}, Zones: [2]int{8, 8}, Steps: 400, Dt: 0.001},
	npb.C: {N: [3]int{480, 320, 28}, Zones: [2]int{16, 16}, Steps: 400, Dt: 0.00067},
	npb.D: {N: [3]int{1632, 1216, 34}, Zones: [2]int{32, 32}, Steps: 500, Dt: 0.0003},
	npb.E: {N: [3]int{4224, 3456, 92}, Zones: [2]int{64, 64}, Steps: 500, Dt: 2e-4},
}
