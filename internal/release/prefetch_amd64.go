//go:build amd64 && !race

package release

import "unsafe"

// Fetch prefetches the cache lines of n bytes (at least 1) at p, the beginning of a line, for
// reading (PREFETCHT0), without waiting for them, so that several lines are transferred at the same
// time.
//
//go:noescape
func Fetch(p unsafe.Pointer, n int)

// Claim is Fetch for writing (PREFETCHW): other cores lose the lines.
//
//go:noescape
func Claim(p unsafe.Pointer, n int)
