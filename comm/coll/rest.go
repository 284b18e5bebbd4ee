package coll

import (
	"runtime"
	"time"

	"gobench/device"
)

// rest is how a rank waits that has several operations to look after: no single
// request can be waited for in the device.
type rest struct {
	device vainer // nil if the device has no way to give way
}

// vainer is the part of a device.Sharer that gives way; a device may have it alone.
type vainer interface {
	Vain(w *device.Waiting, context int32, peer int) error
}

func newRest(dev device.Device) rest {
	v, _ := dev.(vainer)
	return rest{v}
}

// noContext is bound to no ranks, so nobody's death is its concern: the operation
// that needs the dead rank finds it itself.
const noContext = -1

// vain is called after a look at everything in vain.
func (r rest) vain(w *device.Waiting) {
	if r.device != nil {
		r.device.Vain(w, noContext, device.AnySource)
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
