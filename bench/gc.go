package bench

import (
	"math"
	"runtime/debug"
)

// Quiet switches garbage collection off and returns what switches it on again.
// A memory limit of room bytes for all of this process is set instead, so that a
// mistake ends in a collection and not in a full machine.
//
// Collection is a setting of the process: among ranks that are goroutines of
// one process, the one that found it on puts it back.
func Quiet(room int64) (restore func()) {
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
