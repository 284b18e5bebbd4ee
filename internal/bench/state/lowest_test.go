package state_test

import (
	"testing"
	"time"

	"gobench/internal/bench/state"
	"gobench/record"
)

// A value that no other confirms is no least value, in whatever order it comes.
func TestOneImpossibleValue(t *testing.T) {
	const ns, us = 1e-9, 1e-6
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"only one", []float64{3.1 * us}, 3.1 * us},
		{"two that differ", []float64{3.1 * us, 5.9 * us}, 3.1 * us},
		{"two that differ, the lower one last", []float64{5.9 * us, 3.1 * us}, 3.1 * us},
		{"no processor is as fast", []float64{1 * ns, 1 * ns, 3.1 * us, 3.2 * us}, 3.1 * us},
		{"a third of the others", []float64{1 * us, 3.1 * us, 3.2 * us}, 3.1 * us},
		{"a third of the others, last", []float64{3.1 * us, 3.2 * us, 1 * us}, 3.1 * us},
		{"a third of the others, between", []float64{3.1 * us, 1 * us, 3.2 * us}, 3.1 * us},
		{"two different impossible ones", []float64{1 * us, 3.1 * us, 1.8 * us, 3.2 * us}, 3.1 * us},
		{"undisturbed for two of many", []float64{5.9 * us, 6 * us, 3.1 * us, 5.8 * us, 3.15 * us}, 3.1 * us},
		{"better by a little", []float64{3.2 * us, 3.1 * us, 3.0 * us}, 3.0 * us},
	} {
		var s state.Scale
		for _, v := range c.values {
			s.AddPoint(&record.Point{Loop: v})
		}
		if s.Loop != c.want {
			t.Errorf("%s: the least loop of %v is %v, want %v", c.name, c.values, s.Loop, c.want)
		}
		if confirmed := s.Confirmed().Loop; len(c.values) < 3 && confirmed != 0 || len(c.values) > 2 && confirmed != c.want {
			t.Errorf("%s: %v is confirmed", c.name, confirmed)
		}
	}

	var s state.Scale
	for _, d := range []float64{6 * ns, 31 * ns, 160 * ns, 30 * ns} {
		s.AddPoint(&record.Point{DistanceBefore: d, DistanceAfter: d, StateDistance: d})
	}
	if s.Distance != 30*ns {
		t.Errorf("a row with 6 ns thrice makes the least distance %v", s.Distance)
	}
	s = state.Scale{}
	for _, loop := range []float64{3e-6, 6e-6} { // the states of one cell share the distance
		s.AddPoint(&record.Point{Time: time.Unix(1, 0), DistanceBefore: 20 * ns, Loop: loop})
	}
	if confirmed := s.Confirmed(); confirmed.Distance != 0 {
		t.Errorf("one measured distance confirms itself: %v", confirmed.Distance)
	}
}

// What runs say was known counts although nothing measured confirms it, unless other runs or the
// measurements show that it is impossible.
func TestWhatRunsKnew(t *testing.T) {
	const us = 1e-6
	slow := []float64{5.9 * us, 6 * us}
	for _, c := range []struct {
		name     string
		known    []float64
		measured []float64
		want     float64
	}{
		{"one launch on slowed cores", []float64{3.1 * us}, slow, 3.1 * us},
		{"all of a command", []float64{3.1 * us, 3.1 * us, 3.0 * us}, slow, 3.0 * us},
		{"one that the others deny", []float64{1.4 * us, 3.1 * us, 3.1 * us}, slow, 3.1 * us},
		{"one that another and the measurements deny", []float64{3.1 * us, 6.1 * us}, slow, 5.9 * us},
		{"one that another denies, and no measurement", []float64{3.1 * us, 9 * us}, slow, 3.1 * us},
		{"a tenth of all measurements", []float64{0.6 * us}, slow, 5.9 * us},
		{"impossible", []float64{1e-9}, slow, 5.9 * us},
		{"worse than what is measured", []float64{5.9 * us}, []float64{3.1 * us, 3.2 * us}, 3.1 * us},
	} {
		var s state.Scale
		for _, v := range c.known {
			s.AddRun(&record.Run{MinLoop: v})
		}
		for _, v := range c.measured {
			s.AddLoop(v)
		}
		if s.Loop != c.want {
			t.Errorf("%s: the least loop is %v, want %v", c.name, s.Loop, c.want)
		}
	}
}

// A scale from a file is right by definition: one lower value does not replace it.
func TestScaleFromAFile(t *testing.T) {
	s := state.Scale{Distance: 30e-9, Loop: 3.1e-6}
	s.Add(8e-9)
	s.AddLoop(1e-6)
	s.Add(160e-9)
	if s.Distance != 30e-9 || s.Loop != 3.1e-6 || s.Confirmed() != (state.Scale{Distance: 30e-9, Loop: 3.1e-6}) {
		t.Errorf("after single values: %v, %v", s.Distance, s.Loop)
	}
	s.Add(8.2e-9)
	if s.Distance != 8e-9 {
		t.Errorf("two lower values that agree: %v", s.Distance)
	}
	if p := (state.Scale{Distance: 1e-9, Loop: 1e-9}).Possible(); p != (state.Scale{}) {
		t.Errorf("possible: %+v", p)
	}
}
