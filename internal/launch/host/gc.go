package host

import (
	"math"
	"runtime/debug"
)

// SuspendGC switches garbage collection off and returns a function that restores it. It sets a
// memory limit of room bytes for the whole process, so that a leak triggers a collection rather
// than exhausting memory.
//
// The setting applies to the process. If ranks are goroutines of one process, only the rank that
// switched the collection off restores it.
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
