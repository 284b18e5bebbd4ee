package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/bt"
	"gobench/kernels/npb/flow"
	"gobench/kernels/npb/sp"
)

// Along every axis each rank has one cell in each plane of cells, and the cells of all ranks are
// all cells.
func TestCellsCoverTheGrid(t *testing.T) {
	for _, p := range []int{1, 2, 3, 5} {
		owner := map[[3]int]int{}
		for rank := range p * p {
			part := flow.NewPartition(rank, p*p)
			for c := range p {
				at := part.Position(c)
				if other, ok := owner[at]; ok {
					t.Errorf("p = %d: ranks %d and %d have cell %v", p, other, rank, at)
				}
				owner[at] = rank
				for axis, i := range at {
					if got := part.CellAt(axis, i); got != c {
						t.Errorf("p = %d, rank %d: cell %d at %v is not found along axis %d", p, rank, c, at, axis)
					}
				}
			}
		}
		for rank := range p * p {
			part := flow.NewPartition(rank, p*p)
			for axis, sides := range part.Neighbours() {
				for c := range p {
					at := part.Position(c)
					at[axis] = (at[axis] + 1) % p
					if got := owner[at]; got != sides[1] {
						t.Errorf("p = %d: after cell %v of rank %d comes rank %d, not %d", p, at, rank, got, sides[1])
					}
				}
			}
		}
	}
}

func TestIllegalRanksAreNamed(t *testing.T) {
	for ranks, want := range map[int]string{2: "use np=1 or np=4", 12: "use np=9 or np=16", 100: "use np=16", 0: "use np=1"} {
		err := flow.Square("bt", npb.S, ranks, 12)
		var e *npb.RanksError
		if !errors.As(err, &e) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d ranks: %v, want an error that ends with %q", ranks, err, want)
		}
	}
}

// programs are the kernels of multi-partitions.
var programs = []struct {
	code   *flow.Code
	method func() flow.Method
}{{bt.Code(), flow.Blocks}, {sp.Code(), flow.Pentadiagonal}}

// In each step a rank sends the faces of its cells, and the state of every line where it passes
// into a cell of another rank.
func TestVolumeIsThatOfFacesAndLines(t *testing.T) {
	if testing.Short() {
		return // counting is nothing new for a race detector
	}
	for _, c := range programs {
		for _, p := range []int{2, 3} {
			kerneltest.Volume(t, flow.Partitioned(c.code, c.method), npb.S, p*p, func(rank int) kerneltest.Sent {
				return kerneltest.Sent{Messages: flow.Sends(c.code.Sizes[npb.S], p, c.method(), rank)}
			})
		}
	}
}

// A step of BT and SP allocates nothing.
func TestStepsAllocateNothing(t *testing.T) {
	if testing.Short() {
		return // the race detector does not look for this
	}
	for _, c := range programs {
		kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
			step := flow.Stepper(r, c.code, npb.S, c.method())
			var err error
			if n := kerneltest.Allocs(func() {
				if err == nil {
					err = step()
				}
			}); n > 0 {
				return fmt.Errorf("%s: a step allocates %v times", c.code.Name, n)
			}
			return err
		})
	}
}
