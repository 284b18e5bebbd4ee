package main

import (
	"errors"
	"strings"
	"testing"
)

func TestPatience(t *testing.T) {
	trouble := errors.New("too busy")
	var said strings.Builder
	p := newPatience(9, &said)
	for round, c := range []struct {
		err  error
		ends bool
	}{{nil, false}, {trouble, false}, {nil, false}, {trouble, false}, {nil, false}, {trouble, false}, {nil, false}, {trouble, true}} {
		if err := p.with(t.Context(), "gobench over smem", round+1, c.err); (err != nil) != c.ends {
			t.Errorf("round %d: %v, want an end: %v", round+1, err, c.ends)
		}
	}
	if want := "round 2, gobench over smem: too busy; left out of this round\n"; !strings.HasPrefix(said.String(), want) {
		t.Errorf("it said %q", said.String())
	}
	p = newPatience(9, &said)
	if p.with(t.Context(), "MPICH over smem", 1, trouble) == nil {
		t.Error("a program that has never worked is left out")
	}
}
