// Package allocs counts heap allocations, for tests that want none.
package allocs

import (
	"math"
	"runtime"
)

// rounds is the number of measurements of Count. The runtime allocates occasionally for itself, for
// example a thread on a busy machine, but not in every round.
const rounds = 10

// Count returns the number of heap allocations of the whole process during n calls of f in steady
// state: the least of several rounds. It calls f Calls(n) times, the first n of them to warm up.
// Unlike testing.AllocsPerRun it does not round down, so one allocation in n calls is counted.
func Count(n int, f func()) int {
	fewest := uint64(math.MaxInt)
	var before, after runtime.MemStats
	for round := range rounds + 1 {
		runtime.ReadMemStats(&before)
		for range n {
			f()
		}
		runtime.ReadMemStats(&after)
		if round > 0 {
			fewest = min(fewest, after.Mallocs-before.Mallocs)
		}
	}
	return int(fewest)
}

// Calls returns the number of times that Count(n, f) calls f, for peers that must take part each
// time.
func Calls(n int) int { return (rounds + 1) * n }
