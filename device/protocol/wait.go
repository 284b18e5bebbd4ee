package protocol

import (
	"time"

	"gobench/device"
)

// Wait blocks until the request is complete and releases it.
func (d *core) Wait(h device.Request) (device.Status, error) {
	if d.closed {
		return device.Status{}, device.ErrClosed
	}
	r := d.requests.lookup(h)
	if r == nil {
		return device.Status{}, device.ErrRequest
	}
	return d.await(r, r.peer)
}

// Test makes progress once and releases the request if it is complete.
func (d *core) Test(h device.Request) (device.Status, bool, error) {
	if d.closed {
		return device.Status{}, false, device.ErrClosed
	}
	r := d.requests.lookup(h)
	if r == nil {
		return device.Status{}, false, device.ErrRequest
	}
	if r.state != complete {
		d.progress(r.peer)
	}
	if r.state != complete {
		d.glance()
		return device.Status{}, false, nil
	}
	status, err := d.requests.release(r)
	return status, true, err
}

// await waits for a request, mainly looking at what comes from one peer.
func (d *core) await(r *request, from int) (device.Status, error) {
	var w device.Waiting
	for r.state != complete {
		d.step(&w, from)
	}
	return d.requests.release(r)
}

// step looks for something to happen and waits a little if nothing does. Now and
// then it polls even if the peer it waits for has sent something, because the
// others must be served too.
func (d *core) step(w *device.Waiting, from int) {
	if d.direct != nil && from >= 0 && w.All&0xf != 0xf && len(d.backlog) == 0 {
		if h, data, ok := d.direct.Look(from, d.turns); ok {
			d.sink.Packet(from, h, data)
			d.direct.Done(from)
			progressed(w)
			return
		}
	}
	if d.linger != nil && from < 0 && len(d.backlog) == 0 && w.Polls > 0 {
		d.linger.Linger(d.turns)
	}
	if d.progress(from) {
		if progressed(w) {
			d.wire.Idle(d.sink)
		}
	} else if d.patience.vain(w) {
		d.wire.Idle(d.sink)
	}
}

// progress polls the wire once and pushes what was held up. It reports whether
// anything happened.
func (d *core) progress(from int) bool {
	moved := d.wire.Poll(from, d.sink)
	if len(d.backlog) > 0 && d.drain() {
		moved = true
	}
	if len(d.leaving) > 0 {
		d.farewell()
		moved = true
	}
	return moved
}

// glance follows a call that looked once in vain. The caller will look again, so
// a dead peer must be noticed and the processor shared here too.
func (d *core) glance() {
	d.glances++
	if d.patience.crowded {
		d.patience.giveWay()
	}
	if d.glances&0x3f == 0 && due(&d.glanced, time.Now()) {
		d.wire.Idle(d.sink)
	}
}
