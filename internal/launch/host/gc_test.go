package host

import (
	"runtime/debug"
	"testing"
)

// Ranks that are goroutines share one collector: after the last has ended, it is on again.
func TestSuspendGCNests(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	limit := debug.SetMemoryLimit(-1)
	first := SuspendGC(1 << 30)
	second := SuspendGC(1 << 30)
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
