package lu

import (
	"testing"

	"gobench/kernels/kerneltest"
)

// Of 2x2 ranks the last receives rows of all planes in the forward sweep and then the ghosts of its
// cell, and the first rows in the backward sweep.
func TestDamageIsNoticedInEveryPhase(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for _, step := range []int{1, 48} {
		kerneltest.Noticed(t, Kernel(), 4, 3, step, 1, 2, 19, 20, 21, 22)
		kerneltest.Noticed(t, Kernel(), 4, 0, step, 1, 2, 19, 20)
	}
}
