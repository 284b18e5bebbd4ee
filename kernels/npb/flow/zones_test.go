package flow_test

import (
	"fmt"
	"slices"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/bt"
	"gobench/kernels/npb/flow"
	"gobench/kernels/npb/lu"
	"gobench/kernels/npb/sp"
)

// zonedPrograms are the multi-zone kernels.
var zonedPrograms = []*flow.ZonedCode{bt.ZonedCode(), sp.ZonedCode(), lu.ZonedCode()}

func TestZonesGiveTheOfficialResults(t *testing.T) {
	for _, code := range zonedPrograms {
		kerneltest.ClassS(t, flow.Zoned(code), []int{1, 3}, []int{2})
	}
}

// Sizes along both axes of the zones of BT-MZ, and those of equal zones.
func TestSizesOfZones(t *testing.T) {
	for _, c := range []struct {
		code  *flow.ZonedCode
		class npb.Class
		axis  int
		want  []int
	}{
		{bt.ZonedCode(), npb.S, 1, []int{6, 18}},
		{bt.ZonedCode(), npb.A, 0, []int{13, 21, 36, 58}},
		{bt.ZonedCode(), npb.B, 0, []int{16, 20, 24, 30, 38, 47, 57, 72}},
		{bt.ZonedCode(), npb.B, 1, []int{11, 13, 17, 21, 26, 31, 40, 49}},
		{bt.ZonedCode(), npb.C, 1, []int{8, 10, 10, 12, 12, 14, 16, 17, 19, 21, 23, 26, 28, 31, 35, 38}},
		{sp.ZonedCode(), npb.B, 1, []int{26, 26, 26, 26, 26, 26, 26, 26}},
		{lu.ZonedCode(), npb.A, 0, []int{32, 32, 32, 32}},
	} {
		m := c.code.Meshes[c.class]
		if got := flow.Sizes(&m, c.axis); !slices.Equal(got, c.want) {
			t.Errorf("%s class %v has zones of %v along axis %d, want %v", c.code.Name, c.class, got, c.axis, c.want)
		}
	}
}

// Every rank has a zone. Equal zones are in blocks where their numbers allow it, and unequal ones
// are packed so that the most loaded rank has at most as much more than the mean as the smallest
// zone has.
func TestZonesAreBalanced(t *testing.T) {
	for _, code := range zonedPrograms {
		for _, class := range []npb.Class{npb.S, npb.W, npb.A, npb.B} {
			m := code.Meshes[class]
			zones := m.Zones[0] * m.Zones[1]
			for ranks := 1; ranks <= zones; ranks++ {
				owner := flow.Owners(&m, ranks)
				if used := slices.Compact(slices.Sorted(slices.Values(owner))); len(used) != ranks {
					t.Errorf("%s class %v: %d of %d ranks have zones", code.Name, class, len(used), ranks)
				}
				if bound := flow.Bound(&m, ranks); flow.Speedup(&m, ranks) < 0.75*bound {
					t.Errorf("%s class %v on %d ranks: zones allow a speedup of %.2f, of at most %.2f", code.Name, class, ranks, flow.Speedup(&m, ranks), bound)
				}
			}
		}
	}
	m := sp.ZonedCode().Meshes[npb.W]
	if got := flow.Owners(&m, 4); !slices.Equal(got, []int{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}) {
		t.Errorf("16 equal zones belong to ranks %v, want blocks of two by two", got)
	}
}

// Threads have whole zones where these can be divided equally, and work together on the largest
// where they cannot.
func TestZonesOfThreads(t *testing.T) {
	for _, code := range zonedPrograms {
		for _, class := range []npb.Class{npb.S, npb.W, npb.A, npb.B} {
			m := code.Meshes[class]
			for _, ranks := range []int{1, 2, 4} {
				for threads := 1; threads <= 8; threads++ {
					mean, largest := flow.ThreadLoads(&m, ranks, threads)
					if largest > 1.11*mean {
						t.Errorf("%s class %v: %d threads of rank 0 of %d have up to %.0f points, %.0f on average", code.Name, class, threads, ranks, largest, mean)
					}
				}
			}
		}
	}
	for _, c := range []struct {
		code           *flow.ZonedCode
		class          npb.Class
		ranks, threads int
		shared         int
	}{
		{bt.ZonedCode(), npb.A, 1, 1, 0},
		{bt.ZonedCode(), npb.A, 1, 2, 0},
		{bt.ZonedCode(), npb.S, 1, 2, 4},
		{bt.ZonedCode(), npb.S, 4, 2, 1},
		{sp.ZonedCode(), npb.A, 1, 4, 0},
		{lu.ZonedCode(), npb.A, 1, 2, 0},
		{lu.ZonedCode(), npb.A, 1, 3, 1},
	} {
		m := c.code.Meshes[c.class]
		if got := flow.SharedZones(&m, c.ranks, c.threads); got != c.shared {
			t.Errorf("%s class %v: %d threads of rank 0 of %d work together on %d zones, want %d", c.code.Name, c.class, c.threads, c.ranks, got, c.shared)
		}
	}
}

// In each step a rank sends one message to each rank that has neighbours of its zones, with the
// points next to all faces between them, without their edges. Nothing else is sent. In class S four
// ranks have one zone each, or of LU-MZ a square of two by two: each sends to the rank beside it
// along x and to that along y, because zones are periodic.
func TestVolumeIsThatOfFacesOfZones(t *testing.T) {
	if testing.Short() {
		return // counting is nothing new for a race detector
	}
	for _, code := range zonedPrograms {
		m := code.Meshes[npb.S]
		owner := flow.Owners(&m, 4)
		sizes := [2][]int{flow.Sizes(&m, 0), flow.Sizes(&m, 1)}
		kerneltest.Volume(t, flow.Zoned(code), npb.S, 4, func(rank int) kerneltest.Sent {
			var numbers int
			for zone, own := range owner {
				if own != rank {
					continue
				}
				x, y := zone%m.Zones[0], zone/m.Zones[0]
				for _, other := range []struct{ x, y, face int }{
					{x - 1, y, sizes[1][y]}, {x + 1, y, sizes[1][y]}, {x, y - 1, sizes[0][x]}, {x, y + 1, sizes[0][x]},
				} {
					beside := (other.x+m.Zones[0])%m.Zones[0] + m.Zones[0]*((other.y+m.Zones[1])%m.Zones[1])
					if owner[beside] != rank {
						numbers += 5 * (other.face - 2) * (m.N[2] - 2)
					}
				}
			}
			return kerneltest.Sent{Messages: application.Traffic{Messages: int64(2 * m.Steps), Bytes: 8 * int64(m.Steps*numbers)}}
		})
	}
}

// A step of a multi-zone code allocates nothing.
func TestStepsOfZonesAllocateNothing(t *testing.T) {
	if testing.Short() {
		return // the race detector does not look for this
	}
	for _, code := range zonedPrograms {
		kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
			step := flow.ZonedStepper(r, code, npb.S)
			var err error
			if n := kerneltest.Allocs(func() {
				if err == nil {
					err = step()
				}
			}); n > 0 {
				return fmt.Errorf("%s: a step allocates %v times", code.Name, n)
			}
			return err
		})
	}
}
