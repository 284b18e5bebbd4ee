//go:build amd64 && !race

package release

import "unsafe"

// Store writes v to *p after all earlier loads and stores of this goroutine. On amd64 every plain
// store has this order, while atomic.StoreUint64 is an XCHG, which also waits until the store is
// visible.
//
//go:noescape
func Store(p *uint64, v uint64)

// StoreNext is Store, and prefetches the cache line at next for writing (PREFETCHW), without
// waiting for it: a later store finds the line in the cache, and other cores see the store sooner.
//
//go:noescape
func StoreNext(p *uint64, v uint64, next unsafe.Pointer)
