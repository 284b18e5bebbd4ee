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
	"math"
	"time"
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

// A Net is one rank's access to its clock and to messages of a group of ranks. Messages between two
// ranks arrive in order.
type Net interface {
	Rank() int
	Size() int
	Now() int64 // this rank's own clock, ns; it may differ from the others' in offset and rate
	Send(to int, word int64) error
	Recv(from int) (int64, error)
}

// An Effort holds the numbers of measurements for the comparison of two clocks.
type Effort struct {
	Points    int           // offsets measured, at least 2
	Exchanges int           // pings per offset; the shortest counts
	Window    time.Duration // from the first offset to the last; a longer one gives a more precise rate
	// Limit is the time for all pings. If they are slow, there are fewer pings per offset, at least
	// one.
	Limit time.Duration
}

// DefaultEffort takes about 50 ms for each doubling of the number of ranks, or 250 ms to 500 ms if
// a ping takes several milliseconds, as between ranks that share a core with others.
var DefaultEffort = Effort{Points: 50, Exchanges: 20, Window: 50 * time.Millisecond, Limit: 250 * time.Millisecond}

// Model is a linear map from a rank's own clock to that of rank 0, which is the global clock. The
// zero Model is the identity, for ranks with the same clock.
type Model struct {
	Base   int64   // time of the last measured offset on the own clock, ns
	Offset int64   // global - own clock at Base, ns
	Slope  float64 // growth of the offset per ns of the own clock
	Width  float64 // error bound in ns until Base, for clocks of constant rates
	Growth float64 // growth of the error bound per ns after Base
}

// Global maps a reading of the own clock to the global clock.
func (m Model) Global(own int64) int64 {
	return own + m.Offset + int64(math.Round(m.Slope*float64(own-m.Base)))
}

// Own returns the reading of the own clock at a global time. It inverts Global up to rounding.
func (m Model) Own(global int64) int64 {
	since := float64(global - m.Offset - m.Base) // (1 + Slope) x (own - Base)
	return m.Base + int64(math.Round(since/(1+m.Slope)))
}

// Bound returns the error bound of Global(own), in seconds.
func (m Model) Bound(own int64) float64 {
	return (m.Width + m.Growth*math.Max(0, float64(own-m.Base))) / 1e9
}

// A Keeper is a channel with its own clock, such as a simulated network, which replaces the
// clock of the machine.
type Keeper interface {
	Now() int64 // ns
	Timer() Timer
	Compute(ns int64) // advances the clock
}
