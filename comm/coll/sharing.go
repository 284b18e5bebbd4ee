package coll

import "gobench/device"

// sharing returns the device as algorithms in shared memory see it: whoever waits
// for a peer there moves non-blocking operations on too, because the peer may
// wait for them.
func (e *Engine) sharing(dev device.Device) device.Device {
	if s, ok := dev.(device.Sharer); ok {
		return &sharing{dev, s, e}
	}
	return dev
}

type sharing struct {
	device.Device
	device.Sharer
	e *Engine
}

// Vain implements device.Sharer. The caller has the device.
func (s *sharing) Vain(w *device.Waiting, context int32, peer int) error {
	if len(s.e.live) > 0 && s.e.advance() {
		w.Polls = 0
	}
	return s.Sharer.Vain(w, context, peer)
}
