package lu

import (
	"errors"
	"strings"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

func TestClassS(t *testing.T) {
	kerneltest.ClassS(t, Kernel(), []int{1, 2}, []int{2})
	if !testing.Short() {
		kerneltest.Verify(t, Kernel(), npb.S, kerneltest.Shared, 6, 1) // more ranks along y than along x
	}
}

func TestClassW(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 1, 2)
}

// In each step a rank sends two layers of its faces along x and y, and in both sweeps for every
// plane inside the outermost values to the ranks after it. Two norms are taken in the last step.
func TestVolumeIsThatOfFacesAndPlanes(t *testing.T) {
	if testing.Short() {
		return // counting is nothing new for a race detector
	}
	const n, steps = 12, 50
	for _, ranks := range []int{2, 4} {
		kerneltest.Volume(t, Kernel(), npb.S, ranks, func(rank int) kerneltest.Sent {
			g := newGrid(rank, ranks)
			_, size := g.block([3]int{n, n, n})
			inside := [2]int{size[0], size[1]}
			for axis, at := range [2][2]int{{g.x, g.nx - 1}, {g.y, g.ny - 1}} {
				if at[0] == 0 {
					inside[axis]--
				}
				if at[0] == at[1] {
					inside[axis]--
				}
			}
			want := kerneltest.Sent{Collectives: application.Traffic{Messages: 2, Bytes: 2 * 40}}
			for axis, sides := range g.neighbours() {
				for _, peer := range sides {
					if peer >= 0 {
						want.Messages.Messages += steps * (1 + n - 2)
						want.Messages.Bytes += steps * int64(8*10*size[1-axis]*n+8*5*inside[1-axis]*(n-2))
					}
				}
			}
			return want
		})
	}
}

func TestLegalRanks(t *testing.T) {
	for ranks, want := range map[int]string{1: "", 2: "", 4: "", 6: "", 12: "", 16: "", 0: "use np=1", 3: "use np=2 or np=4", 5: "use np=4 or np=6", 64: "use np=16"} {
		err := Kernel().Legal(npb.S, ranks)
		var e *npb.RanksError
		if (err == nil) != (want == "") || err != nil && (!errors.As(err, &e) || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%d ranks: %v, want an error that ends with %q", ranks, err, want)
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	if testing.Short() {
		return // the race detector does not look for this
	}
	kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
		l := newInstance(r, npb.S)
		err := l.prepare()
		if n := kerneltest.Allocs(func() {
			if err == nil {
				err = l.step()
			}
		}); n > 0 {
			t.Errorf("a step allocates %v times", n)
		}
		return err
	})
}
