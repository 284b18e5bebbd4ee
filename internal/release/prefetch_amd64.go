//go:build amd64 && !race

package release

import "unsafe"

// Fetch prefetches the cache line at p for reading (PREFETCHT0), without waiting for it, so that
// several lines are transferred at the same time.
//
//go:noescape
func Fetch(p unsafe.Pointer)
