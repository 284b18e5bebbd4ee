package sp

import (
	"testing"

	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

func TestClassS(t *testing.T) {
	kerneltest.ClassS(t, Kernel(), []int{1, 4, 9}, nil)
	if !testing.Short() {
		kerneltest.Verify(t, Kernel(), npb.S, kerneltest.Shared, 4, 2)
	}
}

func TestClassW(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 1, 2)
}

func TestLegalRanks(t *testing.T) {
	// of three points at least
	for ranks, want := range map[int]bool{0: false, 1: true, 2: false, 4: true, 16: true, 25: false} {
		if got := Kernel().Legal(npb.S, ranks) == nil; got != want {
			t.Errorf("class S on %d ranks is legal: %t, want %t", ranks, got, want)
		}
	}
}
