package clock

import (
	"runtime"
	"strings"
	"testing"
	"time"
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

// Now counts nanoseconds: between two readings it agrees with the time package,
// whose readings enclose it.
func TestNowCountsNanoseconds(t *testing.T) {
	outer := time.Now()
	a := Now()
	inner := time.Now()
	for time.Since(inner) < 20*time.Millisecond {
	}
	least := time.Since(inner)
	b := Now()
	most := time.Since(outer)
	if d := time.Duration(b - a); d < least || d > most {
		t.Errorf("%v passed, the time package says between %v and %v", d, least, most)
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
	if !strings.HasPrefix(timer.Source, "CLOCK_MONOTONIC") {
		t.Errorf("source %q", timer.Source)
	}
}

// Single blocks that were disturbed move neither the cost nor its error.
func TestMiddleOfCosts(t *testing.T) {
	for _, c := range []struct {
		values         []float64
		median, around float64
	}{
		{[]float64{7}, 7, 0},
		{[]float64{3, 1, 2, 5, 4}, 3, 1},
		{[]float64{3, 1, 2, 5000, 4}, 3, 1},
		{[]float64{30, 30, 30, 30, 30, 30, 30, 30, 900}, 30, 0},
	} {
		if median, around := middle(c.values); median != c.median || around != c.around {
			t.Errorf("%v: %g, %g around it", c.values, median, around)
		}
	}
}

func TestNowDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(1000, func() { Now() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}

// What Now is measured against: see the package comment.
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
