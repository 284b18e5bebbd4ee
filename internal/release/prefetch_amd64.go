//go:build amd64 && !race

package release

import "unsafe"

// Own asks for the cache line at p to be fetched for writing (PREFETCHW), without
// waiting for it: a store that follows some time later finds the line there, and
// others see it sooner.
//
//go:noescape
func Own(p unsafe.Pointer)

// Fetch asks for the cache line at p to be fetched for reading (PREFETCHT0),
// without waiting for it, so that several lines come at the same time.
//
//go:noescape
func Fetch(p unsafe.Pointer)
