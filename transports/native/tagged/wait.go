//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"slices"
	"time"

	"gobench/device"
	"gobench/internal/blocking"
)

// A wait is the state of one wait.
type wait struct {
	polls int
	since time.Time
}

const (
	spinPolls = 30                    // calls of turns polls each, before the rank yields
	yields    = 20 * time.Millisecond // of giving it up, before sleeping
	lookEvery = 10 * time.Millisecond // between two looks at the processes of the peers
)

// pause must be called after an unsuccessful poll of a wait for a peer, or device.AnySource.
func (d *Device) pause(w *wait, awaited int) {
	w.polls++
	if !d.Crowded && w.polls < spinPolls {
		return
	}
	now := time.Now()
	if w.polls == 1 || w.since.IsZero() {
		w.since = now
	}
	d.alive(now, awaited)
	if d.Crowded || now.Sub(w.since) < yields {
		blocking.Yield(false)
	}
	if now.Sub(w.since) >= yields {
		if d.Sleep != nil {
			d.Sleep(1)
		} else {
			time.Sleep(50 * time.Microsecond)
		}
	}
}

// miss must be called after an unsuccessful test of an operation with a peer, or device.AnySource.
func (d *Device) miss(awaited int) {
	if d.Crowded {
		blocking.Yield(true)
	}
	if d.calls++; d.calls&0x3f == 0 {
		d.alive(time.Now(), awaited)
	}
}

// tick must be called by each operation. Some calls read the clock, and yield to other goroutines
// or check the peers, which changes the core's op.
func (d *Device) tick() {
	d.core.turn.Take()
	if d.calls++; d.calls&0x3ff == 0 {
		d.aliveNow(device.AnySource)
	}
}

// request is the Go side of a request of the library: it keeps the buffer alive.
type request struct {
	buf     []byte
	turn    uint32 // of the number's use; part of the handle
	live    bool
	receive bool
	lost    bool  // its peer is lost: err is its result
	peer    int   // may be AnySource
	err     error // where lost
}

// begun takes the number of a request that the library has begun.
func (d *Device) begun(number int, buf []byte, receive bool, peer int) *request {
	for number >= len(d.requests) {
		d.requests = append(d.requests, request{})
	}
	r := &d.requests[number]
	r.buf, r.live, r.receive, r.lost, r.peer, r.err = buf, true, receive, false, peer, nil
	if r.turn++; r.turn == 0 {
		r.turn = 1
	}
	return r
}

func (r *request) handle(number int) device.Request {
	return device.Request(r.turn)<<32 | device.Request(number)
}

// find returns the request of a handle.
func (d *Device) find(q device.Request) (*request, int, error) {
	if d.closed {
		return nil, 0, device.ErrClosed
	}
	number := int(uint32(q))
	if number >= len(d.requests) || !d.requests[number].live || d.requests[number].turn != uint32(q>>32) {
		return nil, 0, device.ErrRequest
	}
	return &d.requests[number], number, nil
}

// finish releases a request that the library has completed, and returns its outcome.
func (d *Device) finish(r *request) (device.Status, error) {
	buf := r.buf
	r.buf, r.live = nil, false
	if status := d.core.op.status; status == cancelled && r.err != nil || status < 0 {
		if r.err == nil && r.peer >= 0 {
			r.err = d.peerFault(r.peer, int(status))
		}
		if r.err != nil {
			return device.Status{}, r.err
		}
	}
	if !r.receive {
		return device.Status{}, nil
	}
	return d.result(len(buf))
}

// takeLost releases a request whose peer is lost. The library may still use the buffer, which is
// kept alive until the number is reused.
func (d *Device) takeLost(r *request, number int) (device.Status, error) {
	r.live = false
	d.core.abandon(number)
	d.lost = slices.DeleteFunc(d.lost, func(n int) bool { return n == number })
	return device.Status{}, r.err
}
