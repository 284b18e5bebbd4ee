package all

import (
	"testing"

	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

// What --dry-run says of the memory of a class is what its ranks allocate, within 10 %. Kernels of
// hundreds of steps do one of class W, which shows how memory grows with the class: the other steps
// allocate nothing, and class S has the end.
func TestMemoryIsAsSaid(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	t.Chdir(t.TempDir()) // for BT-IO
	for _, k := range Kernels() {
		for _, c := range []struct {
			class          npb.Class
			ranks, threads int
		}{{npb.S, 1, 1}, {npb.S, 2, 2}, {npb.S, 4, 1}, {npb.S, 5, 1}, {npb.S, 12, 1}, {npb.W, 4, 2}} {
			if k.Legal(c.class, c.ranks) == nil {
				kerneltest.Fits(t, k.Program(c.class, false, nil), c.ranks, c.threads, c.class == npb.W && k.Problem(c.class).Iterations > 100)
			}
		}
	}
}
