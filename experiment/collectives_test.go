package experiment

import (
	"strings"
	"testing"

	"gobench/bench"
)

// collect returns options of collective operations.
func collect(change func(*Collective)) *Collective {
	a := NewCollective()
	a.Transports, a.Sizes, a.Ranks = "wheel", "8", 4
	change(a)
	return a
}

func TestMistakesOfCollectives(t *testing.T) {
	for want, change := range map[string]func(*Collective){
		"groups is -1":             func(a *Collective) { a.Groups = -1 },
		"groups is 5, want 1 to 4": func(a *Collective) { a.Groups = 5 },
		"4 ranks cannot be divided into 3 groups of equal size": func(a *Collective) { a.Groups = 3 },
		"polls is -1":                                func(a *Collective) { a.Polls = -1 },
		`unknown way to compare clocks "hca"`:        func(a *Collective) { a.Sync = "hca" },
		"the root is rank 2, there are ranks 0 to 1": func(a *Collective) { a.Operations, a.Root, a.Groups = "bcast", "2", 2 },
	} {
		if _, err := check(collect(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestConditionsOfCollectives(t *testing.T) {
	r, err := check(collect(func(a *Collective) { a.Groups, a.Sync, a.Overlap, a.Polls = 2, "hca3", true, 4 }))
	if err != nil {
		t.Fatal(err)
	}
	c := r.Plan.Cases[0]
	if r.Plan.Sync != bench.SyncHCA3 || c.Groups != 2 || !c.Bench.Overlap || c.Polls != 4 || c.Bench.Name != "iallreduce" {
		t.Errorf("sync %q, %d groups of %s", r.Plan.Sync, c.Groups, c.Bench.Name)
	}
}
