package protocol

import "gobench/device"

// Cancel cancels an operation that has not been matched (device.Device). A receive, and a send that
// is not pushed yet, is cancelled now. For an announced rendezvous, a cancel packet is sent and
// the receiver decides. An eager send that was pushed completes as usual.
//
// A cancel packet races with the match at the receiver, which alone knows the order:
//
//	cancel first   the announcement is removed there, the answer is yes, the send is cancelled
//	match first    the answer is no, behind a CTS, or before a FIN, and the send goes on
//
// The send is complete only when the answer is here, so that its request is not used again before.
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

// giveUp cancels an active request, if it has not been matched.
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

// cancelSelf cancels a send to this rank itself. Only its message knows it: a match would have
// completed both requests.
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

// cancelled completes a request that was cancelled by its owner, or because its context is broken.
func (d *Device) cancelled(r *request) {
	r.err = d.breach(r.context)
	r.status = device.Status{Source: r.peer, Tag: r.tag, Cancelled: r.err == nil}
	d.unregister(&r.part)
	d.requests.finish(r)
}

// onCancel handles a cancel packet, which withdraws an RTS. A correct peer sends one for each RTS
// and waits for the answers before it announces more. This bounds the answers queued here to twice
// the announcements, in addition to those for this rank's own requests.
func (d *Device) onCancel(p *peer, h Header) {
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

// onCancelled handles the answer to a cancel packet.
func (d *Device) onCancelled(p *peer, h Header) {
	r := d.partner(p, h.W2, true)
	yes := h.flags() == flagYes
	if p.late(r) {
		return
	}
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
