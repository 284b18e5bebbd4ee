package ft

import (
	"fmt"
	"maps"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

func TestClassS(t *testing.T) {
	kerneltest.ClassS(t, Kernel(), []int{1, 2, 4, 8, 16}, []int{2, 3})
}

func TestClassesWAndA(t *testing.T) {
	if testing.Short() {
		return // they have nothing new for a race detector
	}
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 4, 1)
	kerneltest.Verify(t, Kernel(), npb.W, kerneltest.Shared, 64, 1) // pencils: more ranks than planes
	kerneltest.Verify(t, Kernel(), npb.A, kerneltest.Shared, 2, 2)
}

// Every grid of ranks gives the official checksums.
func TestPencils(t *testing.T) {
	grids := [][2]int{{2, 2}}
	if !testing.Short() {
		grids = append(grids, [][2]int{{2, 1}, {1, 2}, {4, 2}, {2, 4}, {8, 1},
			{32, 1}, {64, 1}}...) // blocks narrower than a bundle
	}
	for _, grid := range grids {
		t.Run(fmt.Sprintf("%dx%d", grid[0], grid[1]), func(t *testing.T) {
			kerneltest.Run(t, kerneltest.Shared, grid[0]*grid[1], 1, func(r *application.Rank) error {
				f, err := newOn(r, npb.S, grid[0], grid[1])
				if err != nil {
					return err
				}
				result, err := f.Run()
				if err == nil && r.Comm.Rank() == 0 && !result.Verified() {
					return fmt.Errorf("checksums are %v", f.sums)
				}
				return err
			})
		})
	}
}

// Transforms against their definition, for every length and both ways.
func TestTransforms(t *testing.T) {
	for _, set := range simd.Sets() {
		for n := 2; n <= 128; n *= 2 {
			for _, back := range []bool{false, true} {
				p := newPlan(n)
				re, im := 0, simd.Lanes
				if back {
					re, im = im, re
				}
				in, bundle, other := make([]complex128, n), make([]float64, simd.Point*n), make([]float64, simd.Point*n)
				for i := range in {
					in[i] = complex(math.Sin(float64(i*i)), math.Cos(float64(3*i)))
					for l := range simd.Lanes {
						bundle[simd.Point*i+re+l] = real(in[i]) * float64(l+1)
						bundle[simd.Point*i+im+l] = imag(in[i]) * float64(l+1)
					}
				}
				p.transform(&set.Fourier, bundle, other)
				if p.changes() {
					bundle = other
				}
				for k := range n {
					var want complex128
					for j, v := range in {
						angle := -2 * math.Pi * float64(j*k%n) / float64(n)
						if back {
							angle = -angle
						}
						want += v * cmplx.Rect(1, angle)
					}
					for l := range simd.Lanes {
						got := complex(bundle[simd.Point*k+re+l], bundle[simd.Point*k+im+l])
						if cmplx.Abs(got-want*complex(float64(l+1), 0)) > 1e-13*float64(n*(l+1)) {
							t.Fatalf("%s, %d points, back %t: frequency %d of line %d is %v, want %v", set.Level, n, back, k, l, got, want*complex(float64(l+1), 0))
						}
					}
				}
			}
		}
	}
}

// The first transform and the transform of each of six steps exchange the data of all ranks in an
// alltoall; a sum follows each step.
func TestVolumeIsThatOfTheAlltoalls(t *testing.T) {
	const points, steps = 64 * 64 * 64, 6
	for ranks := 2; ranks <= 16; ranks *= 2 {
		others := int64(ranks - 1)
		want := kerneltest.Sent{
			Messages:    application.Traffic{Messages: (1 + steps) * others, Bytes: (1 + steps) * others * 16 * points / int64(ranks*ranks)},
			Collectives: application.Traffic{Messages: steps, Bytes: 16 * steps},
		}
		kerneltest.Volume(t, Kernel(), npb.S, ranks, func(int) kerneltest.Sent { return want })
	}
}

func TestLegalRanks(t *testing.T) {
	k := Kernel()
	for _, ranks := range []int{0, 3, 12, 1 << 13} {
		if k.Legal(npb.S, ranks) == nil {
			t.Errorf("class S on %d ranks is legal", ranks)
		}
	}
	classes := slices.Collect(maps.Keys(sizes))
	for _, name := range []string{"S/2", "S/128", "S/256", "A/8", "B/8"} { // more points along z than x or y
		class, err := npb.ParseClass(name)
		if err != nil {
			t.Fatal(err)
		}
		classes = append(classes, class)
	}
	for _, class := range classes {
		n := sizeOf(class).n
		for ranks := 1; ranks <= 1<<16 && k.Legal(class, ranks) == nil; ranks *= 2 {
			np1, np2 := processors(n, ranks)
			if np1*np2 != ranks || n[0]%np1 != 0 || n[1]%np1 != 0 || n[1]%np2 != 0 || n[2]%np2 != 0 {
				t.Errorf("class %v: %d ranks are %d x %d", class, ranks, np1, np2)
			}
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	if testing.Short() {
		return // the race detector does not look for this
	}
	kerneltest.Run(t, kerneltest.Shared, 1, 2, func(r *application.Rank) error {
		f, err := newOn(r, npb.S, 1, 1)
		if err != nil {
			return err
		}
		f.sums = f.sums[:1] // all iterations are the same
		if n := kerneltest.Allocs(func() {
			if err == nil {
				err = f.solve()
			}
			f.verify()
		}); n > 0 {
			t.Errorf("a run allocates %v times", n)
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
