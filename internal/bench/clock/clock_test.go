package clock

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"gobench/internal/allocs"
)

func TestNowNeverStepsBack(t *testing.T) {
	last := Now()
	for range 1_000_000 {
		now := Now()
		if now < last {
			t.Fatalf("%d ns after %d ns", now, last)
		}
		last = now
	}
}

// Now counts nanoseconds: the time between two readings agrees with enclosing and enclosed readings
// of the time package.
func TestNowCountsNanoseconds(t *testing.T) {
	outer := time.Now()
	a := Now()
	inner := time.Now()
	for time.Since(inner) < 20*time.Millisecond {
	}
	smallest := time.Since(inner)
	b := Now()
	largest := time.Since(outer)
	if d := time.Duration(b - a); d < smallest || d > largest {
		t.Errorf("%v passed, the time package says between %v and %v", d, smallest, largest)
	}
}

func TestCalibrate(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	timer := Calibrate()
	t.Logf("%+v", timer)
	if timer.Resolution < 1e-9 || timer.Resolution > 1e-3 {
		t.Errorf("resolution %v s", timer.Resolution)
	}
	// A vDSO reading is tens of ns, a system call hundreds.
	if timer.Cost <= 0 || timer.Cost > 1e-4 {
		t.Errorf("cost %v s", timer.Cost)
	}
	if timer.CostError <= 0 || timer.CostError > timer.Cost {
		t.Errorf("error of the cost %v s, of a cost of %v s", timer.CostError, timer.Cost)
	}
	if !strings.HasPrefix(timer.Source, "CLOCK_MONOTONIC") {
		t.Errorf("source %q", timer.Source)
	}
}

func TestNowDoesNotAllocate(t *testing.T) {
	if n := allocs.Count(1000, func() { Now() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}

// For comparison with Now: see the package comment.
func BenchmarkTimeNow(b *testing.B) {
	for b.Loop() {
		time.Now()
	}
}

func BenchmarkTimeSince(b *testing.B) {
	base := time.Now()
	for b.Loop() {
		time.Since(base)
	}
}
