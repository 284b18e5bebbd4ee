package kerneltest

import "gobench/internal/allocs"

// Allocs returns the number of allocations of ten runs of f in steady state, so that an allocation
// in one of ten is counted. All ranks must call it; each runs f equally often.
func Allocs(f func()) int { return allocs.Count(10, f) }
