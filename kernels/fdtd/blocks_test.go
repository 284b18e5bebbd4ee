package fdtd

import (
	"errors"
	"fmt"
	"testing"

	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
)

// cuts returns all decompositions of a grid for a number of ranks.
func cuts(p Problem, ranks int) []Blocks {
	var list []Blocks
	for y := 1; y <= ranks; y++ {
		if b := (Blocks{ranks / y, y}); b.Check(p, ranks) == nil {
			list = append(list, b)
		}
	}
	return list
}

// TestBlocksChangeNothing compares blocks of all shapes with the reference, bit by
// bit, from fields that differ at every point.
func TestBlocksChangeNothing(t *testing.T) {
	grids := [][2]int{{37, 29}, {9, 9}, {3, 70}, {130, 5}, {64, 48}}
	if testing.Short() { // the race detector takes ten times as long
		grids = grids[:1]
	}
	for _, grid := range grids {
		p := NewProblem(grid[0], grid[1], 12)
		p.Source = Source{p.NX / 3, p.NY - 1, 3}
		t.Run(fmt.Sprintf("%dx%d", p.NX, p.NY), func(t *testing.T) {
			everyCut[float32](t, p)
			everyCut[float64](t, p)
		})
	}
}

func everyCut[T Real](t *testing.T, p Problem) {
	t.Helper()
	want := newOracle[T](p, whole(p))
	want.scatter()
	for n := range p.Steps {
		want.advance(T(p.ricker(n)))
	}
	for ranks := 1; ranks <= 9; ranks++ {
		for _, b := range cuts(p, ranks) {
			compareBlocks(t, p, b, 1, want)
		}
	}
	for _, threads := range []int{2, 3, 5} {
		compareBlocks(t, p, Blocks{1, 1}, threads, want)
		compareBlocks(t, p, Blocks{1, 2}, threads, want)
		compareBlocks(t, p, Blocks{2, 1}, threads, want)
	}
}

// compareBlocks runs a problem in blocks, with each set of vector loops.
func compareBlocks[T Real](t *testing.T, p Problem, b Blocks, threads int, want *oracle[T]) {
	t.Helper()
	kerneltest.Run(t, kerneltest.Memory, b.X*b.Y, threads, func(r *application.Rank) error {
		s, err := New[T](r, p, b)
		if err != nil {
			return err
		}
		for _, set := range simd.Sets() {
			s.Reset()
			s.scatter()
			s.kernel = kernelOf[T](set)
			if err := s.Advance(p.Steps); err != nil {
				return err
			}
			if n := s.differences(want, s.block); n > 0 {
				t.Errorf("%v blocks of %T, %d threads, %s: block at %d,%d of %dx%d points has %d points that differ from the serial result",
					b, s.c, threads, set.Level, s.x, s.y, s.nx, s.ny, n)
			}
		}
		return nil
	})
}

func TestBlocksAreChosen(t *testing.T) {
	for _, c := range []struct {
		nx, ny, ranks int
		want          Blocks
	}{
		{4096, 4096, 1, Blocks{1, 1}},
		{4096, 4096, 2, Blocks{1, 2}},
		{4096, 4096, 4, Blocks{2, 2}},
		{4096, 4096, 7, Blocks{1, 7}},
		{16384, 8192, 8, Blocks{2, 4}},
		{100, 2, 4, Blocks{4, 1}},
		{3, 3, 9, Blocks{3, 3}},
		{1, 9, 9, Blocks{1, 9}},
	} {
		if got, err := ChooseBlocks(NewProblem(c.nx, c.ny, 1), c.ranks); err != nil || got != c.want {
			t.Errorf("%d ranks on %dx%d points: %v %v, want %v", c.ranks, c.nx, c.ny, got, err, c.want)
		}
	}
	var none *BlocksError
	if _, err := ChooseBlocks(NewProblem(6, 6, 1), 7); !errors.As(err, &none) {
		t.Errorf("7 ranks on 6x6 points: %v", err)
	}
}
