package protocol

import "gobench/device"

// Cancel gives up an operation that has not been matched. A receive is
// cancelled at once; so is a send that waits to be pushed. A rendezvous that
// is announced is withdrawn by asking the receiver. An eager send that is out
// completes as usual.
func (d *Device) Cancel(h device.Request) error {
	if d.closed {
		return device.ErrClosed
	}
	r := d.requests.lookup(h)
	if r == nil {
		return device.ErrRequest
	}
	if r.state == active {
		d.giveUp(r)
	}
	return nil
}

// giveUp gives up an active request, if it has not been matched.
func (d *Device) giveUp(r *request) {
	switch {
	case !r.send:
		if r.queue != nil && !r.part.used { // still posted
			d.posted.remove(r)
			d.cancelled(r)
		}
	case r.peer == d.rank:
		d.cancelSelf(r)
	case r.queue == &d.peers[r.peer].sends:
		if r.moved == 0 {
			r.queue.remove(r)
			d.cancelled(r)
		}
	case r.part.used && r.part.step == stepNone && r.part.awaited == waitPeer:
		r.part.awaited |= waitCancel
		d.answer(&d.peers[r.peer], header(kindCancel, 0, 0, 0, uint64(r.handle)), nil)
	}
}

func (d *Device) cancelSelf(r *request) {
	for m := d.unexpected.source[d.rank].head; m != nil; m = m.next {
		if m.self == r {
			d.unexpected.remove(m)
			d.unexpected.give(m)
			d.cancelled(r)
			return
		}
	}
}

// cancelled ends a request that was given up: by its owner, or because its context is broken.
func (d *Device) cancelled(r *request) {
	r.err = d.breach(r.context)
	r.status = device.Status{Source: r.peer, Tag: r.tag, Cancelled: r.err == nil}
	d.unregister(&r.part)
	d.requests.finish(r)
}

// withdraw takes a request of the peer to forget an RTS. A correct peer asks once for each that it has announced, and
// waits for the answers before it announces more, so that as many answers at most wait here twice, beside those that
// belong to requests of this rank.
func (d *Device) withdraw(p *peer, h Header) {
	if p.control.waiting() > 2*d.announced+len(d.requests.rows) {
		d.violation(p, "more cancels than there can be sends", h)
		return
	}
	flags := uint8(0)
	for m := d.unexpected.source[p.rank].head; m != nil; m = m.next {
		if m.rendezvous && m.remote == h.W2 {
			d.unexpected.remove(m)
			d.unexpected.give(m)
			p.flow.unasked--
			flags = flagYes
			break
		}
	}
	d.answer(p, header(kindCancelled, flags, 0, 0, h.W2), nil)
}

// withdrawn takes the answer.
func (d *Device) withdrawn(p *peer, h Header) {
	r := d.partner(p, h.W2, true)
	yes := h.flags() == flagYes
	if r == nil || r.part.awaited&waitCancel == 0 || yes && (r.part.step != stepNone || r.part.awaited&waitPeer == 0) {
		d.violation(p, "an answer to no cancel", h)
		return
	}
	if yes {
		p.answered(&r.part)
		d.cancelled(r)
		return
	}
	d.arrived(r, waitCancel)
}
