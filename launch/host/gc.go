package host

import (
	"math"
	"runtime/debug"
)

// SuspendGC switches garbage collection off and returns a function that restores it. It sets a
// memory limit of room bytes for the whole process, so that a leak triggers a collection rather
// than exhausting memory.
//
// The setting belongs to the process: among ranks that are goroutines of one process, the one that
// found collection on restores it.
func SuspendGC(room int64) (restore func()) {
	old := debug.SetGCPercent(-1)
	if old < 0 {
		return func() {}
	}
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(room)
	}
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(old)
	}
}
