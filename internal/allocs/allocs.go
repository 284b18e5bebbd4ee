// Package allocs counts heap allocations, for tests that want none.
package allocs

import (
	"math"
	"runtime"
)

// rounds is how often Count measures. The runtime allocates now and then for itself, a thread for
// example when the machine is busy; it does not do so in every round.
const rounds = 10

// Count returns how many heap allocations of the whole process n calls of f come with in steady state: the
// least of some rounds. f is called Calls(n) times, the first n of them to warm up. Unlike
// testing.AllocsPerRun it does not round down, so one allocation in n calls is seen.
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

// Calls is how often Count(n, f) calls f, for whoever has to do his part as often.
func Calls(n int) int { return (rounds + 1) * n }
