package comm_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
)

// randomGroup has some of the ranks below n in any order.
func randomGroup(t *testing.T, r *rand.Rand, n int) (comm.Group, []int) {
	list := r.Perm(n)[:r.IntN(n+1)]
	g, err := comm.NewGroup(list...)
	if err != nil {
		t.Fatal(err)
	}
	return g, list
}

// The oracle is the definition in MPI, written with lists.
func TestGroupsAgainstLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n := 1 + r.IntN(9)
		g, a := randomGroup(t, r, n)
		h, b := randomGroup(t, r, n)
		if r.IntN(4) == 0 {
			b = slices.Clone(a)
			r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
			h, _ = comm.NewGroup(b...)
		}
		var both, only, translated []int
		union := slices.Clone(a)
		for _, x := range a {
			if slices.Contains(b, x) {
				both = append(both, x)
			} else {
				only = append(only, x)
			}
		}
		for _, x := range b {
			if !slices.Contains(a, x) {
				union = append(union, x)
			}
		}
		all := []int{comm.ProcNull}
		translated = append(translated, comm.ProcNull)
		for i, x := range a {
			all = append(all, i)
			at := slices.Index(b, x)
			if at < 0 {
				at = comm.Undefined
			}
			translated = append(translated, at)
		}
		got, err := g.Translate(all, h)
		relation := comm.Unequal
		if len(only) == 0 && len(a) == len(b) {
			relation = comm.Similar
		}
		if slices.Equal(a, b) {
			relation = comm.Identical
		}
		switch {
		case !slices.Equal(g.Ranks(), a) || g.Size() != len(a):
			t.Fatalf("ranks of %v: %v", a, g.Ranks())
		case !slices.Equal(g.Union(h).Ranks(), union):
			t.Fatalf("%v union %v: %v, want %v", a, b, g.Union(h).Ranks(), union)
		case !slices.Equal(g.Intersection(h).Ranks(), both):
			t.Fatalf("%v intersection %v: %v, want %v", a, b, g.Intersection(h).Ranks(), both)
		case !slices.Equal(g.Difference(h).Ranks(), only):
			t.Fatalf("%v difference %v: %v, want %v", a, b, g.Difference(h).Ranks(), only)
		case err != nil || !slices.Equal(got, translated):
			t.Fatalf("%v translate %v: %v %v, want %v", a, b, got, err, translated)
		case g.Compare(h) != relation:
			t.Fatalf("%v compare %v: %v, want %v", a, b, g.Compare(h), relation)
		}
		for x := range n {
			if want := slices.Index(a, x); g.Rank(x) != want && (want >= 0 || g.Rank(x) != comm.Undefined) {
				t.Fatalf("rank of %d in %v: %d", x, a, g.Rank(x))
			}
		}
	}
}

func TestGroupSelection(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		n := 1 + r.IntN(9)
		g, a := randomGroup(t, r, n)
		ranges, ranks := randomRanges(r, len(a))
		bad := false
		seen := map[int]bool{}
		for _, k := range ranks {
			bad = bad || k < 0 || k >= len(a) || seen[k]
			seen[k] = true
		}
		var want, rest []int
		if !bad {
			for _, k := range ranks {
				want = append(want, a[k])
			}
			for i, x := range a {
				if !slices.Contains(ranks, i) {
					rest = append(rest, x)
				}
			}
		}
		check := func(what string, got comm.Group, err error, want []int) {
			t.Helper()
			var arg *comm.ArgumentError
			if bad != errors.As(err, &arg) || err == nil && !slices.Equal(got.Ranks(), want) {
				t.Fatalf("%s %v (%v) of %v: %v %v, want %v, error %v", what, ranks, ranges, a, got.Ranks(), err, want, bad)
			}
		}
		in, err := g.Incl(ranks...)
		check("incl", in, err, want)
		out, err := g.Excl(ranks...)
		check("excl", out, err, rest)
		in, err = g.InclRange(ranges...)
		check("incl range", in, err, want)
		out, err = g.ExclRange(ranges...)
		check("excl range", out, err, rest)
	}
}

// randomRanges are ranges whose ends are sometimes outside, and what they stand for.
func randomRanges(r *rand.Rand, n int) (ranges []comm.Range, ranks []int) {
	for range r.IntN(4) {
		first, last := r.IntN(n+1), r.IntN(n+1)
		x := comm.Range{First: first, Last: last, Stride: 1 + r.IntN(3)}
		if first > last {
			x.Stride = -x.Stride
		}
		if r.IntN(10) == 0 {
			x.Stride *= 1 << 61 // only the first
		}
		ranges = append(ranges, x)
		if last == n && first != last { // an end that is not reached is still outside
			ranks = append(ranks, n)
		}
		k, steps := first, abs(last-first)/min(abs(x.Stride), 1<<20)
		for range steps + 1 {
			ranks = append(ranks, k)
			k += x.Stride
		}
	}
	return ranges, ranks
}

func abs(n int) int { return max(n, -n) }

func TestGroupsRefuse(t *testing.T) {
	g, _ := comm.NewGroup(3, 1)
	var empty comm.Group
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(comm.NewGroup(0, -1)), "group: rank number 1 is -1, want 0 or more"},
		{second(comm.NewGroup(2, 2)), "group: rank number 1 is 2, want a rank that was not given before"},
		{second(g.Incl(0, 2)), "incl: rank number 1 is 2, want a rank in 0..1"},
		{second(g.Excl(1, 1)), "excl: rank number 1 is 1, want a rank that was not given before"},
		{second(empty.Incl(0)), "incl: rank number 0 is 0, want none, the group is empty"},
		{second(g.InclRange(comm.Range{First: 0, Last: 1})), "inclrange: the stride of range number 0 is 0, want another number"},
		{second(g.Translate([]int{-1}, g)), "translate: rank number 0 is -1, want a rank in 0..1"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A group does not change with what it was made of, or what was got from it.
func TestGroupIsAValue(t *testing.T) {
	list := []int{4, 2, 0}
	g, _ := comm.NewGroup(list...)
	list[0] = 9
	g.Ranks()[1] = 9
	u := g.Union(comm.Group{})
	u.Ranks()[2] = 9
	if !slices.Equal(g.Ranks(), []int{4, 2, 0}) {
		t.Error(g.Ranks())
	}
}
