package bench

import (
	"gobench/bench/clock"
	"gobench/device"
)

// Timekeeper is an optional ability of a channel that has a time of its own, as
// a simulated network does. Its clock replaces the machine's.
type Timekeeper interface {
	Now() int64 // ns
	Timer() clock.Timer
	Compute(ns int64) // lets time pass
}

// clockOf returns the clock for a channel, and its calibration on this thread.
func clockOf(ch device.Channel) (now func() int64, calibrate func() clock.Timer) {
	if k, ok := ch.(Timekeeper); ok {
		return k.Now, k.Timer
	}
	return clock.Now, clock.Calibrate
}
