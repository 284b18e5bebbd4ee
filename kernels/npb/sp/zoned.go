package sp

import (
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// Zoned describes SP-MZ, the multi-zone version.
func Zoned() *npb.Kernel { return flow.Zoned(ZonedCode()) }

// ZonedCode returns the classes of SP-MZ.
func ZonedCode() *flow.ZonedCode {
	return flow.ZonedPartitioned(Code(), meshes, zonedReferences, "SP on zones of equal sizes: memory bandwidth, threads inside of zones", Method)
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
