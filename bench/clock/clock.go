// Package clock reads monotonic time and says what a reading costs.
//
// It imports nothing of gobench. It never reads the wall clock, and it never
// looks at the time-stamp counter itself: the kernel does, through the vDSO,
// and knows when the counter cannot be trusted.
package clock

import (
	_ "unsafe" // for go:linkname
)

// nanotime is the runtime's reading of CLOCK_MONOTONIC. It is among the names
// that the Go runtime promises to keep linkable.
//
//go:linkname nanotime runtime.nanotime
//go:noescape
func nanotime() int64

// Now returns the time in nanoseconds since an arbitrary moment that is the
// same for all processes of one host (CLOCK_MONOTONIC: it never steps back; NTP
// may slew it by up to 500 ppm). It allocates nothing and makes no system call
// where the kernel's clock source is readable from user space.
func Now() int64 { return nanotime() }
