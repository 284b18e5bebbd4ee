package bench

import (
	"testing"

	"gobench/internal/allocs"
)

// The parts add up to the whole.
func TestWorkInParts(t *testing.T) {
	var spent int64
	w := newWork(1000.4, nil, func(ns int64) { spent += ns })
	for _, parts := range []int{1, 2, 3, 7} {
		spent = 0
		for part := range parts {
			w.Part(part, parts)
		}
		if spent != 1000 {
			t.Errorf("%d parts: %d ns", parts, spent)
		}
	}
}

// On a clock that advances at each reading, the number of steps is known.
func TestWorkIsCalibrated(t *testing.T) {
	var t0 int64
	step := int64(workTrial)
	w := newWork(workTrial/2, func() int64 { t0 += step; return t0 }, nil)
	if w.steps != 1<<11 { // a trial of 1<<12 steps seems to take workTrial
		t.Errorf("%d steps", w.steps)
	}
	if n := allocs.Count(10, func() { w.Do() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
