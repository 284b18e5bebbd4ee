package compare

import (
	"math"
	"testing"

	"gobench/bench/record"
	"gobench/bench/state"
)

// Launches in several states of the cores all count: the difference of the sides is kept, the
// difference of the states is removed.
func TestLaunchesOfOtherStatesCount(t *testing.T) {
	const near, far = 30e-9, 160e-9
	point := func(run string, distance, us float64) *record.Point {
		return &record.Point{Run: run, StateDistance: distance, StateShare: 1, Metrics: map[string]record.Value{"t_s": {Median: us * 1e-6, N: 1}}}
	}
	a := []*record.Point{point("a1", near, 1), point("a2", near, 1.1), point("a3", near, 0.9), point("a4", far, 3), point("a5", far, 3.3)}
	b := []*record.Point{point("b1", near, 1.2), point("b2", near, 1.32), point("b3", far, 3.6), point("b4", far, 3.96), point("b5", far, 3.24), point("b6", 70e-9, 9)}
	s := newScales(map[string]facts{})
	for _, p := range append(append([]*record.Point{}, a...), b...) {
		s.note(p)
	}
	in, _, _, ok := s.choose(a, b)
	if !ok {
		t.Fatal("no state in common")
	}
	value := func(p *record.Point) float64 { return p.Metrics["t_s"].Median }
	fromA, fromB, times := s.aligned(in, a, b, value)
	if len(fromA) != 5 || len(fromB) != 5 { // the middle state is on one side only
		t.Fatalf("%d and %d points in state %v", len(fromA), len(fromB), in)
	}
	level := func(points []*record.Point) float64 {
		return middleOf(points, func(p *record.Point) float64 {
			if by, ok := times[p]; ok {
				return by * value(p)
			}
			return value(p)
		})
	}
	if ratio := level(fromB) / level(fromA); math.Abs(ratio-1.2) > 0.05 {
		t.Errorf("b takes %.3f times as long as a, want 1.2", ratio)
	}
	if in.Pair() != state.Near && in.Pair() != state.Far {
		t.Errorf("compared in state %v", in)
	}
}
