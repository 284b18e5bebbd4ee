package bt

import (
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// Zoned describes BT-MZ, the multi-zone version.
func Zoned() *npb.Kernel { return flow.Zoned(ZonedCode()) }

// ZonedCode returns the classes of BT-MZ.
func ZonedCode() *flow.ZonedCode {
	return flow.ZonedPartitioned(Code(), meshes, zonedReferences, "BT on zones of unequal sizes: load balance of ranks, threads inside of zones", Method)
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
