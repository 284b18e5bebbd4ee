package flow_test

import (
	"testing"

	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// In a step a rank receives six messages with ghosts, of which three have a point in the middle
// that belongs to the faces of the grid and is not used, and six with the state of the solver,
// forth and back along each axis. A rank of a multi-zone code receives the faces of its zones.
func TestDamageIsNoticedInEveryPhase(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for i, c := range programs {
		k := flow.Partitioned(c.code, c.method)
		if i == 0 { // the other one exchanges the same ghosts
			kerneltest.Noticed(t, k, 4, 1, 1, 2, 4, 5)
			kerneltest.Noticed(t, k, 4, 3, 1, 1, 3, 6)
		}
		kerneltest.Noticed(t, k, 4, 1, 1, 7, 8, 9, 10, 11, 12)
		kerneltest.Noticed(t, k, 4, 1, c.code.Sizes[npb.S].Steps-1, 2, 7, 12)
	}
	for _, code := range zonedPrograms {
		kerneltest.Noticed(t, flow.Zoned(code), 4, 1, code.Meshes[npb.S].Steps-1)
	}
}
