package experiment

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/launch/host"
)

func TestPairsAreAllPairsOfCores(t *testing.T) {
	if got, want := pairsOf([]int{0, 2, 3, 5}), [][2]int{{0, 2}, {0, 3}, {0, 5}, {2, 3}, {2, 5}, {3, 5}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := pairsOf([]int{7}); got != nil {
		t.Errorf("one core makes the pairs %v", got)
	}
}

// Each pair is a separate request; requests differ only in the pair.
func TestARequestForEachPair(t *testing.T) {
	allowed, err := host.AllowedCores()
	if err != nil || len(allowed) < 2 {
		t.Skip("SKIPPED: one core has no pairs")
	}
	a := NewP2P()
	a.Transports, a.Sizes, a.Pin = "wheel", "8", Pairs
	r, err := check(a)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.each()
	if err != nil || len(all) != len(allowed)*(len(allowed)-1)/2 {
		t.Fatalf("%d requests of %d cores, %v", len(all), len(allowed), err)
	}
	for _, one := range all {
		if err := one.prepare(); err != nil || host.ListCores(one.Cores) != one.Pin {
			t.Errorf("cores %v for %s, %v", one.Cores, one.Pin, err)
		}
	}
	four, coll := *a, NewCollective()
	four.Ranks = 4
	coll.Transports, coll.Pin, coll.Ranks = "wheel", Pairs, 2
	for what, wrong := range map[string]Options{"four ranks": &four, "a collective": coll} {
		if _, err := check(wrong); err == nil || !strings.Contains(err.Error(), "places the two ranks of gobench p2p") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
