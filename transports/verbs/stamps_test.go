//go:build verbs && cgo

package verbs

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// monotonic reads the clock of device.Stamps.
func monotonic() int64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// checkStamps looks whether all times were noted, in order, between begin and now.
func checkStamps(t *testing.T, s *device.Stamps, begin int64) {
	t.Helper()
	if s.Made != len(s.At) || s.Left != s.Every {
		t.Errorf("%d of %d times noted, %d rounds to the next", s.Made, len(s.At), s.Left)
	}
	if end := monotonic(); !slices.IsSorted(s.At) || s.At[0] <= begin || s.At[len(s.At)-1] > end {
		t.Errorf("times from %d to %d, begun at %d, ended at %d: %v", s.At[0], s.At[len(s.At)-1], begin, end, s.At)
	}
}
