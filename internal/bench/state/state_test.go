package state_test

import (
	"testing"

	"gobench/internal/bench/state"
	"gobench/record"
)

func TestScale(t *testing.T) {
	var s state.Scale
	for _, d := range []float64{18e-6, 2e-9} { // the scheduler's time, and an error of the clock
		if s.Add(d); s.Distance != 0 {
			t.Errorf("%v s is accepted as a distance of cores", d)
		}
	}
	for _, d := range []float64{0, 30e-9, 2e-9, 70e-9} {
		s.Add(d)
	}
	if s.Distance != 30e-9 {
		t.Fatalf("least distance is %v, want 30 ns", s.Distance)
	}
	for _, c := range []struct {
		before, after float64
		want          state.State
	}{
		{0, 0, state.Unknown},
		{18e-6, 18e-6, state.Unknown}, // the scheduler's time
		{30e-9, 48e-9, state.Near},
		{70e-9, 77e-9, state.Middle},
		{160e-9, 240e-9, state.Far},
		{30e-9, 70e-9, state.Changing},
		{0, 240e-9, state.Far},
		{30e-9, 0, state.Near},
	} {
		if got := s.Between(c.before, c.after); got != c.want {
			t.Errorf("between %v and %v s: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

func TestOfPoint(t *testing.T) {
	s := state.Scale{Distance: 30e-9}
	for _, c := range []struct {
		p    record.Point
		want state.State
	}{
		{record.Point{}, state.Unknown},
		{record.Point{DistanceBefore: 30e-9, DistanceAfter: 160e-9}, state.Changing},
		{record.Point{DistanceBefore: 30e-9, DistanceAfter: 160e-9, StateDistance: 31e-9}, state.Near},
		{record.Point{DistanceBefore: 30e-9, DistanceAfter: 30e-9, DistanceMin: 30e-9, DistanceMax: 160e-9}, state.Far},
	} {
		if got := s.OfPoint(&c.p); got != c.want {
			t.Errorf("%+v: %v, want %v", c.p, got, c.want)
		}
	}
}

func TestSlowedCores(t *testing.T) {
	s := state.Scale{Distance: 30e-9, Loop: 3.1e-6}
	for _, c := range []struct {
		loop float64
		want state.State
		text string
	}{{0, state.Near, "near"}, {3.2e-6, state.Near, "near"}, {5.9e-6, state.Near + 1, "near slow"}} {
		got := s.OfPoint(&record.Point{StateDistance: 40e-9, Loop: c.loop})
		if got != c.want || got.String() != c.text || got.Pair() != state.Near || got.Slowed() != (got != state.Near) {
			t.Errorf("a loop of %v s: %v (%d)", c.loop, got, got)
		}
	}
	if got := (state.Scale{}).With(state.Unknown, 1); got != state.Unknown {
		t.Errorf("without a scale: %v", got)
	}
	if got := s.With(state.Unknown, 6e-6); got.String() != "unknown slow" {
		t.Errorf("hosts apart: %v", got)
	}
}
