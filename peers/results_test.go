package main

import "testing"

// A point counts only where the pair was near before and after, and what was
// near by an early floor is far by a later, better one.
func TestOnlyNearPointsCount(t *testing.T) {
	cores := &pair{floor: 60e-9}
	all := newResults(cores)
	p := program{name: "x", group: "smem", sizes: []int{8, 64}}
	all.add(p, 1, point{size: 8, halfRTT: 1, before: 70e-9, after: 70e-9})
	all.add(p, 1, point{size: 64, halfRTT: 2, before: 70e-9, after: 300e-9})
	if got := all.missing(p, 1); len(got) != 1 || got[0] != 64 {
		t.Errorf("missing %v, want [64]: its pair was far after", got)
	}
	cores.updateFloor(15e-9)
	if got := all.missing(p, 1); len(got) != 2 {
		t.Errorf("missing %v, want both: 70 ns is far where 15 ns was seen", got)
	}
}

func TestRatioOverCommonRounds(t *testing.T) {
	a := map[int]float64{1: 1, 2: 2, 3: 3, 4: 100}
	b := map[int]float64{1: 2, 2: 2, 3: 2}
	r := ratioOf(a, b)
	want := ratio{of: 1, lo: 0.5, hi: 1.5, n: 3}
	if r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
	if r := ratioOf(a, nil); r.n != 0 {
		t.Errorf("got %+v, want no rounds", r)
	}
}

func TestJudge(t *testing.T) {
	five := ratio{of: 0.5, lo: 0.4, hi: 0.6, n: fewest}
	if v := judge("", five, atMost, 0.5, ""); !v.met || !v.decided {
		t.Errorf("%+v, want met: the limit itself is allowed", v)
	}
	if v := judge("", five, atLeast, 0.51, ""); v.met {
		t.Errorf("%+v, want missed", v)
	}
	if v := judge("", ratio{of: 0.5, n: fewest - 1}, atMost, 1, ""); v.decided {
		t.Errorf("%+v, want open: too few rounds", v)
	}
	if v := judge("", ratio{}, atMost, 1, ""); v.decided || v.met {
		t.Errorf("%+v, want open: nothing was measured", v)
	}
}

func TestBest(t *testing.T) {
	all := newResults(&pair{floor: 30e-9})
	slow := program{name: "slow", group: "smem", role: mpi}
	fast := program{name: "fast", group: "smem", role: mpi}
	other := program{name: "other", group: "tcp", role: mpi}
	for i, p := range []program{slow, fast, other} {
		all.add(p, 1, point{size: 8, halfRTT: float64(3 - i), before: 30e-9, after: 30e-9})
	}
	p, times := best([]program{slow, fast, other}, all, "smem", mpi, 8)
	if p.name != "fast" || times[1] != 2 {
		t.Errorf("got %q %v, want fast", p.name, times)
	}
}
