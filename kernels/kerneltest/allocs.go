package kerneltest

import "runtime"

// How often Allocs looks at most, and how many calls it looks at together.
const (
	allocLooks = 10
	allocCalls = 10
)

// Allocs returns how many objects f allocates in ten calls in steady state, on one rank. It is the least
// of some counts, because the runtime allocates for itself now and then: a thread, when the machine
// is busy. What allocates in one of ten calls is in all of them.
func Allocs(f func()) uint64 {
	f() // what is allocated once is not steady state
	least := ^uint64(0)
	for range allocLooks {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range allocCalls {
			f()
		}
		runtime.ReadMemStats(&after)
		if least = min(least, after.Mallocs-before.Mallocs); least == 0 {
			break
		}
	}
	return least
}
