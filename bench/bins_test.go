package bench

import (
	"math"
	"slices"
	"testing"

	"gobench/internal/bench/state"
	"gobench/stats"
)

// filled returns bins with the given numbers of samples and times of blocks by state.
func filled(measurable bool, samples map[state.State]int, times map[state.State]float64) *bins {
	b := &bins{measurable: measurable}
	for s, n := range samples {
		one := b.in(s)
		one.time = times[s]
		for i := range n {
			one.samples.Add(int64(i), 1)
		}
	}
	return b
}

func TestWhichStatesAreKept(t *testing.T) {
	type counts = map[state.State]int
	type times = map[state.State]float64
	for _, c := range []struct {
		what       string
		measurable bool
		samples    counts
		times      times
		want       []state.State
	}{
		{"nothing", true, counts{}, nil, nil},
		{"no sample", true, counts{state.Near: 0}, nil, nil},
		{"one state", true, counts{state.Near: 30}, nil, []state.State{state.Near}},
		{"one with few samples", true, counts{state.Far: 1}, nil, []state.State{state.Far}},
		{"no state", false, counts{state.Unknown: 100}, nil, []state.State{state.Unknown}},
		{"the longer one first", true, counts{state.Near: 30, state.Far: 40}, times{state.Near: 2, state.Far: 1}, []state.State{state.Near, state.Far}},
		{"the longer one first, far", true, counts{state.Near: 50, state.Far: 40}, times{state.Near: 1, state.Far: 2}, []state.State{state.Far, state.Near}},
		{"too few of one", true, counts{state.Near: 29, state.Far: 30}, nil, []state.State{state.Far}},
		{"changing is left out", true, counts{state.Near: 30, state.Changing: 500}, nil, []state.State{state.Near}},
		{"nothing but changing", true, counts{state.Changing: 500}, nil, []state.State{state.Changing}},
		{"too few of all but changing", true, counts{state.Near: 29, state.Changing: 500}, nil, []state.State{state.Changing}},
		{"few of all", true, counts{state.Near: 20, state.Far: 29, state.Changing: 5}, nil, []state.State{state.Far}},
		{"failed measurements are left out", true, counts{state.Near: 30, state.Unknown: 500}, nil, []state.State{state.Near}},
	} {
		if got := filled(c.measurable, c.samples, c.times).reportable(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestShareOfAState(t *testing.T) {
	b := filled(true, map[state.State]int{state.Near: 1, state.Far: 1, state.Changing: 1},
		map[state.State]float64{state.Near: 6, state.Far: 3, state.Changing: 1})
	for s, want := range map[state.State]float64{state.Near: 0.6, state.Far: 0.3, state.Changing: 0.1} {
		if got := b.share(s); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v has %g of the time, want %g", s, got, want)
		}
	}
}

// put adds a block of one sample between two distances, in ns.
func put(b *bins, before, after float64, ns int64) {
	b.after(probe{distance: after * 1e-9})
	b.of(blockInfo{1, probe{distance: before * 1e-9}, probe{distance: after * 1e-9}, 1}).samples.Add(0, ns)
}

// When a nearer pair is found, samples of pairs measured before are moved to their new states.
func TestFarPairsAreRenamed(t *testing.T) {
	b := &bins{}
	b.begin(probe{distance: 160e-9})
	put(b, 160, 160, 1) // near, as far as is known
	put(b, 400, 400, 2) // middle
	if b.in(state.Near).samples.N() != 1 || b.in(state.Middle).samples.N() != 1 {
		t.Fatalf("%d near, %d middle", b.in(state.Near).samples.N(), b.in(state.Middle).samples.N())
	}
	put(b, 30, 30, 3)
	put(b, 160, 30, 4)
	for s, want := range map[state.State][]int64{state.Near: {3}, state.Middle: nil, state.Far: {2, 1}, state.Changing: {4}} {
		if got := b.in(s).samples.Times(); !slices.Equal(got, want) {
			t.Errorf("%v: samples %v, want %v", s, got, want)
		}
		if got := b.share(s); math.Abs(got-float64(len(want))/4) > 1e-12 {
			t.Errorf("%v: %g of the time", s, got)
		}
	}
	if d := stats.Median(b.in(state.Far).distances); d < 159e-9 || d > 401e-9 {
		t.Errorf("far is %g s", d)
	}
	b.begin(probe{distance: 160e-9})
	if b.n() != 0 || stats.Median(b.in(state.Far).distances) != 0 || b.scale.Distance > 31e-9 {
		t.Errorf("the next cell begins with %d samples, least distance %g", b.n(), b.scale.Distance)
	}
}

// Samples that are not kept exactly move, too.
func TestManySamplesAreRenamed(t *testing.T) {
	b := &bins{}
	b.begin(probe{distance: 160e-9})
	for range exactSamples + 10 {
		b.in(state.Near).samples.Add(0, 1)
	}
	put(b, 160, 160, 1)
	put(b, 30, 30, 3)
	if far := b.in(state.Far).samples; far.N() != exactSamples+11 || far.Exact() || b.n() != exactSamples+12 {
		t.Errorf("%d far, exact: %t, %d in all", far.N(), far.Exact(), b.n())
	}
}

// An unknown or disturbed distance does not count for the distance of a state.
func TestUnknownDistancesDoNotCount(t *testing.T) {
	b := &bins{}
	b.begin(probe{distance: 30e-9})
	put(b, 30, 1e6, 1)
	put(b, 1e6, 31, 2)
	if n, d := b.in(state.Near).samples.N(), stats.Median(b.in(state.Near).distances); n != 2 || d > 32e-9 {
		t.Errorf("%d near, %g s apart", n, d)
	}
}

// In a turn, no rank is in two pairs, and each pair of the ring has one turn.
func TestTurnsOfTheRing(t *testing.T) {
	for ranks := 3; ranks < 10; ranks++ {
		var busy [ringTurns][16]bool
		for first := range ranks {
			turn := &busy[ringTurn(first, ranks)]
			if next := (first + 1) % ranks; turn[first] || turn[next] {
				t.Errorf("%d ranks: %d or %d is in two pairs", ranks, first, next)
			} else {
				turn[first], turn[next] = true, true
			}
		}
	}
}
