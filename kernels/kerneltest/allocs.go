package kerneltest

import "testing"

// Allocs is how often f allocates in steady state, the least of some measurements: the runtime allocates a thread of its own now
// and then, when the machine is busy. All ranks call it, and run f equally often.
func Allocs(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for range 9 {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
