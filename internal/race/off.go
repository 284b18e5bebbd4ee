//go:build !race

// Package race tells the race detector of accesses to whole buffers.
package race

// Enabled reports whether the race detector is on.
const Enabled = false

// Reads does nothing without the race detector.
func Reads([]byte) {}

// Writes does nothing without the race detector.
func Writes([]byte) {}
