//go:build amd64 && !race

package release

import "unsafe"

// Own prefetches the cache line at p for writing (PREFETCHW), without waiting for it: a later store
// finds the line in the cache, and other cores see the store sooner.
//
//go:noescape
func Own(p unsafe.Pointer)

// Fetch prefetches the cache line at p for reading (PREFETCHT0), without waiting for it, so that
// several lines are transferred at the same time.
//
//go:noescape
func Fetch(p unsafe.Pointer)
