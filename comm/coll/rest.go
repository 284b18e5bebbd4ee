package coll

import (
	"runtime"
	"time"

	"gobench/device"
)

// rest is how a rank waits that has several operations to look after: no single
// request can be waited for in the device.
type rest struct {
	device progresser // nil if the device has no way to give way
}

// A progresser is the part of a device.Sharer that waits; a device may implement it alone.
type progresser interface {
	Progress(w *device.WaitState, context int32, peer int) error
}

func newRest(dev device.Device) rest {
	v, _ := dev.(progresser)
	return rest{v}
}

// noContext is bound to no ranks, so nobody's death is its concern: the operation
// that needs the dead rank finds it itself.
const noContext = -1

// pollMiss must be called after every operation was polled without progress: it progresses the
// device, yields or sleeps.
func (r rest) pollMiss(w *device.WaitState) {
	if r.device != nil {
		r.device.Progress(w, noContext, device.AnySource)
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
