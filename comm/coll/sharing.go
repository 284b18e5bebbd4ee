package coll

import "gobench/device"

// sharing wraps the device for algorithms in shared memory: a rank that waits for a peer also
// progresses non-blocking operations, because the peer may be waiting for them.
func (e *Engine) sharing(dev device.Device) device.Device {
	if s, ok := dev.(device.Sharer); ok {
		return &sharing{dev, s, e}
	}
	return dev
}

// sharing is used by a goroutine that has entered the Engine.
type sharing struct {
	device.Device
	device.Sharer
	e *Engine
}

// Progress implements device.Sharer.
func (s *sharing) Progress(w *device.WaitState, context int32, peer int) error {
	if len(s.e.live) > 0 && s.e.advance() {
		w.Polls = 0
	}
	return s.Sharer.Progress(w, context, peer)
}

// Send implements device.Channel.
func (s *sharing) Send(buf []byte, dst int, tag, context int32) error {
	if len(s.e.live) == 0 {
		return s.Device.Send(buf, dst, tag, context)
	}
	q, err := s.Isend(buf, dst, tag, context)
	if err == nil {
		_, err = s.Wait(q)
	}
	return err
}

// Recv implements device.Channel.
func (s *sharing) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if len(s.e.live) == 0 {
		return s.Device.Recv(buf, src, tag, context)
	}
	q, err := s.Irecv(buf, src, tag, context)
	if err != nil {
		return device.Status{}, err
	}
	return s.Wait(q)
}

// Wait implements device.Channel.
func (s *sharing) Wait(q device.Request) (device.Status, error) { return s.e.waitFor(q) }

// Crowded reports whether ranks outnumber processors (protocol.Device).
func (s *sharing) Crowded() bool {
	c, ok := s.Device.(interface{ Crowded() bool })
	return ok && c.Crowded()
}
