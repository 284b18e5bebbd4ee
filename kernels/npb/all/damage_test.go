package all

import (
	"testing"

	"gobench/kernels/kerneltest"
)

// A damaged message is noticed in every phase of a step of FT, IS, MG and CG, as in the packages of
// the other kernels. Left out are, of MG, ghosts that are sent for a restriction, which does not
// read the damaged number, the lower ghost along x, and, of CG, the end of a solution, where a
// damaged step is a step less: the result is right within the tolerance.
func TestDamageIsNoticedInEveryPhase(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for _, c := range []struct {
		kernel   string
		step     int
		messages []int // nil = all
	}{
		{"ft", 3, nil},
		{"is", 5, nil},
		{"mg", 2, []int{13, 14, 15, 16, 17, 21, 25, 29, 33, 37, 41, 46}},
		{"cg", 7, []int{1, 2, 3, 4, 5, 6, 102, 103, 104, 105}},
	} {
		k, err := Lookup(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		kerneltest.Noticed(t, k, 4, 1, c.step, c.messages...)
	}
}
