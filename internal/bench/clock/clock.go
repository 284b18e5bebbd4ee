// Package clock reads monotonic time, calibrates the cost of a reading, and synchronises the clocks
// of several hosts (Synchronise).
//
// It imports nothing of gobench. It never reads the wall clock.
//
// It does not read the time-stamp counter directly. The vDSO reads it, and the kernel detects a
// counter that is not reliable. Measured on one core of a virtual AMD EPYC, ns per reading: RDTSC
// unordered 13, with LFENCE or as RDTSCP 25, runtime.nanotime 32-38, time.Since 43-46, time.Now
// 71-78 (go test -bench . measures this machine). An ordered counter would save 10 ns of a cost
// that is subtracted from every sample, which does not justify a second clock with its own
// calibration.
package clock

import (
	_ "unsafe" // for go:linkname
)

// nanotime is the runtime's reading of CLOCK_MONOTONIC. The Go runtime promises to keep this name
// linkable.
//
//go:linkname nanotime runtime.nanotime
//go:noescape
func nanotime() int64

// Now returns the time in nanoseconds since an arbitrary moment that is the same for all processes
// of one host (CLOCK_MONOTONIC: it never steps back; NTP may slew it by up to 500 ppm). It does not
// allocate, and makes no system call if the kernel's clock source is readable from user space.
func Now() int64 { return nanotime() }
