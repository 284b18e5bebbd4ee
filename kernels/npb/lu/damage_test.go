package lu

import (
	"testing"

	"gobench/kernels/kerneltest"
)

// Rank 1 of 2x2 receives the ghosts of its cell, and rows of all planes in both sweeps.
func TestDamageIsNoticedInEveryPhase(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	kerneltest.Noticed(t, Kernel(), 4, 1, 5, 1, 25, 49)
}
