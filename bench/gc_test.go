package bench

import (
	"runtime/debug"
	"testing"
)

// Ranks that are goroutines share one collector: whoever ends last, it is on
// again.
func TestQuietNests(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	limit := debug.SetMemoryLimit(-1)
	first := Quiet(1 << 30)
	second := Quiet(1 << 30)
	if got := debug.SetGCPercent(-1); got != -1 {
		t.Errorf("collection is at %d while timing", got)
	}
	if got := debug.SetMemoryLimit(-1); got != 1<<30 {
		t.Errorf("memory limit is %d while timing", got)
	}
	second()
	first()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("collection was left at %d", got)
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("memory limit was left at %d, it was %d", got, limit)
	}
}
