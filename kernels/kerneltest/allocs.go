package kerneltest

import "gobench/internal/allocs"

// Allocs returns how many allocations ten runs of f come with in steady state: what allocates in
// one of ten is seen. All ranks call it, and run f equally often.
func Allocs(f func()) int { return allocs.Count(10, f) }
