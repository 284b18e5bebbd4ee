package bench

import (
	"errors"
	"testing"
)

// Parts add up to the whole, with a call between any two.
func TestWorkInParts(t *testing.T) {
	var spent int64
	w := newWork(1000.4, nil, func(ns int64) { spent += ns })
	for _, parts := range []int{1, 2, 3, 7} {
		spent = 0
		calls := 0
		if err := w.Do(parts, func() error { calls++; return nil }); err != nil || spent != 1000 || calls != parts-1 {
			t.Errorf("%d parts: %d ns, %d calls, error %v", parts, spent, calls, err)
		}
	}
	failed := errors.New("failed")
	if err := w.Do(2, func() error { return failed }); err != failed {
		t.Errorf("error %v", err)
	}
}

// On a clock that counts steps the number of steps is what the time asks for.
func TestWorkIsCalibrated(t *testing.T) {
	var t0 int64
	step := int64(workTrial)
	w := newWork(workTrial/2, func() int64 { t0 += step; return t0 }, nil)
	if w.steps != 1<<11 { // a trial of 1<<12 steps seems to take workTrial
		t.Errorf("%d steps", w.steps)
	}
	if n := testing.AllocsPerRun(10, func() { w.Do(4, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
