package bench

import (
	"gobench/bench/clock"
	"gobench/bench/pace"
	"gobench/device"
)

// Timekeeper is an optional ability of a channel that has a time of its own, as
// a simulated network does. Its clock replaces the machine's.
type Timekeeper interface {
	Now() int64 // ns
	Timer() clock.Timer
	Compute(ns int64) // lets time pass
}

// clockOf returns the clock for a channel, its calibration on this thread, and what finds out how
// fast the core works.
func clockOf(ch device.Channel) (now func() int64, calibrate func() clock.Timer, loop func() float64) {
	if k, ok := ch.(Timekeeper); ok {
		if p, ok := ch.(interface{ Loop() float64 }); ok {
			loop = p.Loop
		}
		return k.Now, k.Timer, loop
	}
	return clock.Now, clock.Calibrate, pace.Loop
}
