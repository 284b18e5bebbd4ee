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
	if r.state == complete {
		if r.send {
			from = device.AnySource // what comes from the receiver is not looked at here
		}
		d.shortcut(from)
	}
	var w device.WaitState
	for r.state != complete {
		d.step(&w, from)
	}
	return d.requests.release(r)
}

// step looks for something to happen and waits a little if nothing does.
func (d *core) step(w *device.WaitState, from int) {
	if d.direct != nil && from >= 0 && len(d.backlog) == 0 {
		if h, data, ok := d.direct.Look(from, d.turns); ok {
			d.sink.Packet(from, h, data)
			d.direct.Done(from)
			w.Polls = 0
			d.shortcut(from)
			return
		}
	}
	if d.linger != nil && from < 0 && len(d.backlog) == 0 && w.Polls > 0 {
		d.linger.Linger(d.turns)
	}
	if d.progress(from) {
		w.Polls = 0
	} else if now, gaveWay := d.patience.pollMiss(w); gaveWay {
		d.alive(now)
	}
}

// servePeriod is how many messages in a row may come or go without a look at other peers. Such a
// look costs about as much as a message of a near peer, so it must be rare beside them. idleCheck is how
// many calls may pass without a look at the clock. Both are powers of two.
const (
	servePeriod = 64
	idleCheck   = 1024
)

// shortcut is called by whoever has got what it wanted without a poll of the wire. One such call after
// the other would leave all others unserved: their packets, the transfers that the wire itself moves on,
// and the search for dead peers. from is a peer whose packets the caller takes, which are left to it, or
// device.AnySource.
func (d *core) shortcut(from int) {
	if d.shortcuts++; d.shortcuts%servePeriod == 0 {
		d.serve(from)
	}
}

func (d *core) serve(from int) {
	if from < 0 || d.direct == nil {
		d.progress(device.AnySource)
	} else {
		d.direct.Serve(from, d.sink)
		d.follow()
	}
	if d.shortcuts%idleCheck == 0 {
		d.alive(time.Now())
	}
}

// alive lets the wire look for dead peers if it has not for an idle period.
func (d *core) alive(now time.Time) {
	if now.Sub(d.idled) >= idlePeriod {
		d.idled = now
		d.wire.Idle(d.sink)
	}
}

// progress polls the wire once and pushes what was held up. It reports whether
// anything happened.
func (d *core) progress(from int) bool {
	moved := d.wire.Poll(from, d.sink)
	if d.polls++; d.polls%idleCheck == 0 {
		d.alive(time.Now())
	}
	return d.follow() || moved
}

// follow does what a poll may have made possible. It reports whether anything happened.
func (d *core) follow() (moved bool) {
	if len(d.backlog) > 0 && d.drain() {
		moved = true
	}
	if len(d.leaving) > 0 {
		d.farewell()
		moved = true
	}
	return moved
}

// glance follows a Test or Iprobe that found nothing. The caller will poll again, so
// a dead peer must be noticed and the processor shared here too.
func (d *core) glance() {
	d.glances++
	if d.patience.crowded {
		d.patience.giveWay()
	}
	if d.glances&0x3f == 0 {
		d.alive(time.Now())
	}
}
