package coll

import (
	"time"

	"gobench/device"
	"gobench/internal/blocking"
)

// idleWait waits between polls of several operations, because the device can block on one request
// only.
type idleWait struct {
	device progresser // nil if the device does not implement it
}

// A progresser is the part of a device.Sharer that waits; a device may implement it alone.
type progresser interface {
	Progress(w *device.WaitState, context int32, peer int) error
}

func newIdleWait(dev device.Device) idleWait {
	v, _ := dev.(progresser)
	return idleWait{v}
}

// noContext is a context with no bound ranks, so a rank failure never breaks it: the operation that
// needs the dead rank reports it.
const noContext = -1

// pollMiss must be called after every operation was polled without progress: it progresses the
// device, yields or sleeps.
func (i idleWait) pollMiss(w *device.WaitState) {
	if i.device != nil {
		i.device.Progress(w, noContext, device.AnySource)
		return
	}
	rest(pauseAfter(w, 1_000))
}

// pauseAfter counts a poll without progress and returns the pause after it, for rest: none until
// there were as many as polls, then for 20 ms the processor is yielded between polls.
func pauseAfter(w *device.WaitState, polls int) time.Duration {
	w.Polls++
	switch {
	case w.Polls < polls:
		return -1
	case w.Polls == polls:
		w.Since = time.Now()
	case time.Since(w.Since) >= 20*time.Millisecond:
		return 50 * time.Microsecond
	}
	return 0
}

// rest sleeps for a time, yields the processor if it is 0, and does nothing if it is negative.
func rest(pause time.Duration) {
	if pause > 0 {
		time.Sleep(pause)
	} else if pause == 0 {
		blocking.Yield(true)
	}
}
