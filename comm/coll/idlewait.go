package coll

import (
	"runtime"
	"time"

	"gobench/device"
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
	const polls, yields = 1_000, 20 * time.Millisecond
	w.Polls++
	switch {
	case w.Polls < polls:
	case w.Polls == polls:
		w.Since = time.Now()
	case time.Since(w.Since) < yields:
		runtime.Gosched()
	default:
		time.Sleep(50 * time.Microsecond)
	}
}
