package kerneltest

import "gobench/internal/allocs"

// Allocs is how many allocations four runs of f come with in steady state. All ranks call it, and run f equally often.
func Allocs(f func()) int { return allocs.Count(4, f) }
