package comm_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gobench/comm"
)

// spread returns the quantity that DimsCreate minimizes.
func spread(d []int) int { return slices.Max(d) - slices.Min(d) }

// every calls f with all lists of parts divisors of n whose product is n.
func every(n, parts int, f func(d []int)) {
	var fill func(rest int, d []int)
	fill = func(rest int, d []int) {
		if len(d) == parts {
			if rest == 1 {
				f(d)
			}
			return
		}
		for k := 1; k <= rest; k++ {
			if rest%k == 0 {
				fill(rest/k, append(slices.Clip(d), k))
			}
		}
	}
	fill(n, nil)
}

func TestDimsAgainstAllGrids(t *testing.T) {
	for n := 1; n <= 64; n++ {
		for parts := 1; parts <= 4; parts++ {
			best := math.MaxInt
			every(n, parts, func(d []int) { best = min(best, spread(d)) })
			got, err := comm.DimsCreate(n, make([]int, parts))
			product := 1
			for _, d := range got {
				product *= d
			}
			if err != nil || product != n || spread(got) != best || !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
				t.Fatalf("%d ranks in %d dimensions: %v %v, a spread of %d is possible", n, parts, got, err, best)
			}
		}
	}
	// Known results, and many ranks.
	for _, c := range []struct {
		n          int
		dims, want []int
	}{
		{6, []int{0, 0}, []int{3, 2}},
		{7, []int{0, 0}, []int{7, 1}},
		{6, []int{0, 3, 0}, []int{2, 3, 1}},
		{1 << 20, []int{0, 0, 0}, []int{128, 128, 64}},
		{1_000_003, []int{0, 0}, []int{1_000_003, 1}},
		{4, []int{2, 2}, []int{2, 2}},
		{1, nil, nil},
	} {
		got, err := comm.DimsCreate(c.n, c.dims)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d in %v: %v %v, want %v", c.n, c.dims, got, err, c.want)
		}
	}
	for _, c := range []struct {
		n    int
		dims []int
		want string
	}{
		{0, []int{0}, "dimscreate: the number of ranks is 0, want 1 or more"},
		{6, []int{4, 0}, "dimscreate: dimension 0 is 4, want a divisor of 6"},
		{6, []int{-1, 0}, "dimscreate: dimension 0 is -1, want 0 or more"},
		{6, []int{3}, "dimscreate: the number of ranks is 6, want 3, the product of the dimensions"},
	} {
		if _, err := comm.DimsCreate(c.n, c.dims); err == nil || err.Error() != c.want {
			t.Errorf("%d in %v: %v, want %s", c.n, c.dims, err, c.want)
		}
	}
}

// coordinates of all ranks of a grid, counted up as an odometer does.
func odometer(dims []int) [][]int {
	at := make([]int, len(dims))
	var all [][]int
	for {
		all = append(all, slices.Clone(at))
		i := len(dims) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < dims[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return all
		}
	}
}

func TestGridsAgainstOdometer(t *testing.T) {
	sizes := []int{1, 4, 9} // of the world; grids have every size up to that
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		ranks(t, "memwire", n, checkGrids)
	}
}

func checkGrids(w *comm.Comm) error {
	for dimensions := range 4 {
		for ranks := 1; ranks <= w.Size(); ranks++ {
			for rings := range 1 << dimensions {
				if dimensions == 0 && ranks > 1 {
					continue
				}
				dims, err := comm.DimsCreate(ranks, make([]int, dimensions))
				if err != nil {
					return err
				}
				periods := make([]bool, dimensions)
				for i := range periods {
					periods[i] = rings>>i&1 == 1
				}
				grid, err := comm.NewCart(w, dims, periods, true)
				if err != nil {
					return err
				}
				if (grid == nil) != (w.Rank() >= ranks) {
					return fmt.Errorf("grid of %v: rank %d has %v", dims, w.Rank(), grid)
				}
				if grid == nil {
					continue
				}
				if err := checkGrid(grid, dims, periods); err != nil {
					return fmt.Errorf("grid %v, rings %v: %w", dims, periods, err)
				}
				switch same, err := comm.CartOf(w, dims, periods); {
				case ranks != w.Size() && err == nil:
					return fmt.Errorf("grid %v of %d ranks", dims, w.Size())
				case ranks == w.Size():
					if err := cmp.Or(err, checkGrid(same, dims, periods)); err != nil {
						return fmt.Errorf("grid %v, rings %v, of the communicator itself: %w", dims, periods, err)
					}
				}
				if err := grid.Close(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkGrid(grid *comm.Cart, dims []int, periods []bool) error {
	all := odometer(dims)
	if grid.Size() != len(all) || !slices.Equal(grid.Dims(), dims) || !slices.Equal(grid.Periods(), periods) {
		return fmt.Errorf("%d ranks, %v, %v", grid.Size(), grid.Dims(), grid.Periods())
	}
	find := func(at []int) int {
		at = slices.Clone(at)
		for i, d := range dims {
			for periods[i] && at[i] < 0 {
				at[i] += d
			}
			for periods[i] && at[i] >= d {
				at[i] -= d
			}
		}
		rank := slices.IndexFunc(all, func(x []int) bool { return slices.Equal(x, at) })
		if rank < 0 {
			return comm.ProcNull
		}
		return rank
	}
	for rank, at := range all {
		got, err := grid.Coords(rank)
		if err != nil || !slices.Equal(got, at) {
			return fmt.Errorf("rank %d is at %v %v, want %v", rank, got, err, at)
		}
	}
	me := all[grid.Rank()]
	for dim := range dims {
		for disp := -2 * dims[dim]; disp <= 2*dims[dim]; disp++ {
			before, after := slices.Clone(me), slices.Clone(me)
			before[dim] -= disp
			after[dim] += disp
			source, dest, err := grid.Shift(dim, disp)
			if err != nil || source != find(before) || dest != find(after) {
				return fmt.Errorf("shift of %v by %d in %d: %d %d %v, want %d %d", me, disp, dim, source, dest, err, find(before), find(after))
			}
			rank, err := grid.RankOf(after...)
			var arg *comm.ArgumentError
			if want := find(after); want == comm.ProcNull && !errors.As(err, &arg) || want != comm.ProcNull && (err != nil || rank != want) {
				return fmt.Errorf("rank of %v: %d %v, want %d", after, rank, err, want)
			}
		}
		if _, _, err := grid.Shift(dim, math.MaxInt); err != nil {
			return err
		}
	}
	for kept := range 1 << len(dims) {
		if err := checkSub(grid, dims, me, kept); err != nil {
			return err
		}
	}
	return nil
}

func checkSub(grid *comm.Cart, dims, me []int, kept int) error {
	keep := make([]bool, len(dims))
	var left, at []int
	for i := range keep {
		if keep[i] = kept>>i&1 == 1; keep[i] {
			left, at = append(left, dims[i]), append(at, me[i])
		}
	}
	sub, err := grid.Sub(keep...)
	if err != nil {
		return err
	}
	got, err := sub.Coords(sub.Rank())
	if err != nil || !slices.Equal(sub.Dims(), left) || !slices.Equal(got, at) {
		return fmt.Errorf("sub %v at %v: dims %v, at %v, %v", keep, me, sub.Dims(), got, err)
	}
	return sub.Close()
}

func TestGridsRefuse(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		_, periods := comm.NewCart(w, []int{2}, nil, false)
		_, zero := comm.NewCart(w, []int{0}, []bool{true}, false)
		_, many := comm.NewCart(w, []int{2, 1 << 62}, []bool{true, false}, false)
		grid, err := comm.NewCart(w, []int{2}, []bool{false}, false)
		if err != nil {
			return err
		}
		_, coords := grid.Coords(2)
		_, outside := grid.RankOf(-1)
		_, short := grid.RankOf()
		_, _, dim := grid.Shift(1, 1)
		_, _, smallest := grid.Shift(0, math.MinInt)
		_, sub := grid.Sub(true, true)
		for _, c := range []struct {
			err  error
			want string
		}{
			{periods, "cart: the number of periods is 0, want 1, the number of dimensions"},
			{zero, "cart: dimension 0 is 0, want 1 or more"},
			{many, "cart: dimension 1 is 4611686018427387904, want at most 1, the communicator has 2 ranks"},
			{coords, "coords: the rank is 2, want a rank in 0..1"},
			{outside, "rankof: coordinate 0 is -1, want 0..1"},
			{short, "rankof: the number of coordinates is 0, want 1, the number of dimensions"},
			{dim, "shift: the dimension is 1, want a dimension of the grid, which has 1"},
			{smallest, "shift: the displacement is -9223372036854775808, want a number that can be negated"},
			{sub, "sub: the number of dimensions is 2, want 1"},
		} {
			if c.err == nil || c.err.Error() != c.want {
				return fmt.Errorf("%v, want %s", c.err, c.want)
			}
		}
		return grid.Close()
	})
}
