package mg

import (
	"fmt"
	"slices"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

func TestClassS(t *testing.T) {
	// threads: more than the coarsest level has planes
	kerneltest.ClassS(t, Kernel(), []int{1, 2, 4, 8, 16}, []int{2, 3})
}

func TestClassesWAndA(t *testing.T) {
	if testing.Short() {
		return // they have nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 4, 1)
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 8, 1)
	kerneltest.Verify(t, Kernel(), npb.A, kerneltest.Shared, 2, 2)
}

// The twenty points of class S, which other implementations agree on.
func TestChargesOfClassS(t *testing.T) {
	plus := [][3]int{{7, 1, 20}, {19, 29, 31}, {2, 0, 3}, {4, 22, 3}, {1, 16, 21}, {21, 31, 6}, {12, 15, 12}, {30, 4, 25}, {28, 0, 28}, {17, 26, 17}}
	minus := [][3]int{{0, 11, 2}, {13, 8, 17}, {5, 14, 0}, {4, 28, 15}, {12, 2, 1}, {5, 17, 8}, {20, 19, 11}, {26, 15, 31}, {8, 25, 22}, {7, 14, 26}}
	for _, ranks := range []int{1, 8} {
		kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
			s := newSolver(r, sizes[npb.S])
			if err := s.charge(); err != nil {
				return err
			}
			l := &s.level[5]
			for z := range l.n[2] {
				for y := range l.n[1] {
					for x := range l.n[0] {
						p := [3]int{x + l.first[0], y + l.first[1], z + l.first[2]}
						var want float64
						if slices.Contains(plus, p) {
							want = 1
						} else if slices.Contains(minus, p) {
							want = -1
						}
						if got := s.v[l.at(x+1, y+1, z+1)]; got != want {
							t.Errorf("%d ranks: charge at %v is %v, want %v", ranks, p, got, want)
						}
					}
				}
			}
			return nil
		})
	}
}

// Ghosts of every level have the values of the periodic grid, for every grid of ranks.
func TestExchange(t *testing.T) {
	numbers := []int{8}
	if !testing.Short() {
		numbers = []int{1, 2, 4, 8, 16}
	}
	for _, ranks := range numbers {
		kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
			s := newSolver(r, sizes[npb.S])
			for k := 1; k <= s.top(); k++ {
				l, a, n := &s.level[k], s.u[k], 1<<k
				value := func(x, y, z int) float64 {
					at := [3]int{x, y, z}
					for i := range at {
						at[i] = (at[i] - 1 + l.first[i] + n) % n
					}
					return float64(1 + at[0] + n*(at[1]+n*at[2]))
				}
				for z := 1; z <= l.n[2]; z++ {
					for y := 1; y <= l.n[1]; y++ {
						for x := 1; x <= l.n[0]; x++ {
							a[l.at(x, y, z)] = value(x, y, z)
						}
					}
					l.wrapX(a, z, 1, l.n[1]+1)
					l.wrapY(a, z)
				}
				if err := s.exchange(l, a); err != nil {
					return err
				}
				for z := range l.n[2] + 2 {
					for y := range l.n[1] + 2 {
						for x := range l.n[0] + 2 {
							if got := a[l.at(x, y, z)]; got != value(x, y, z) {
								return fmt.Errorf("level %d: point %d,%d,%d is %v, want %v", k, x, y, z, got, value(x, y, z))
							}
						}
					}
				}
			}
			return nil
		})
	}
}

// In each cycle the ranks exchange the faces of three arrays of the top and of each distributed
// level below with both neighbours along an axis; before the first cycle they exchange one more at
// the top.
func TestVolumeIsThatOfTheFaces(t *testing.T) {
	for ranks := 2; ranks <= 16; ranks *= 2 {
		d := dims(ranks)
		var want application.Traffic
		const top, cycles = 5, 4
		n := 1 << top
		for ; n > max(d[0], d[1], d[2]); n /= 2 {
			x, y, z := n/d[0], n/d[1], n/d[2]
			times := 3 * cycles
			if n == 1<<top {
				times++
			}
			for axis, face := range []int{y * z, (x + 2) * z, (x + 2) * (y + 2)} {
				if d[axis] > 1 {
					want.Messages += int64(2 * times)
					want.Bytes += int64(2 * times * 8 * face)
				}
			}
		}
		// Two norms of two reductions, and a level that is gathered in each cycle.
		collectives := application.Traffic{Messages: 4 + cycles, Bytes: int64(4*8 + cycles*8*n*n*n/ranks)}
		kerneltest.Volume(t, Kernel(), npb.S, ranks, func(int) kerneltest.Sent { return kerneltest.Sent{Messages: want, Collectives: collectives} })
	}
}

func TestIllegalRanks(t *testing.T) {
	k := Kernel()
	for _, ranks := range []int{0, 3, 6, 1 << 20} {
		if k.Legal(npb.S, ranks) == nil {
			t.Errorf("class S on %d ranks is legal", ranks)
		}
	}
	if n := largest(cube(32)); n != 4096 || k.Legal(npb.S, n) != nil {
		t.Errorf("class S runs on up to %d ranks, want 4096", n)
	}
}

func TestCyclesAllocateNothing(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
		s := newSolver(r, sizes[npb.S])
		if err := s.charge(); err != nil {
			return err
		}
		err := s.residual()
		if n := kerneltest.Allocs(func() {
			if err == nil {
				err = s.vcycle()
			}
			if err == nil {
				_, _, err = s.norm()
			}
		}); n > 0 {
			t.Errorf("a cycle allocates %v times", n)
		}
		return err
	})
}

func BenchmarkKernel(b *testing.B) {
	for _, class := range []npb.Class{npb.S, npb.A, npb.B} {
		for _, ranks := range []int{1, 4} {
			b.Run(fmt.Sprintf("%v/%d", class, ranks), func(b *testing.B) { kerneltest.Rate(b, Kernel(), class, ranks, 1) })
		}
	}
}
