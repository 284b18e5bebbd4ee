package protocol

import "gobench/device"

// Isend starts a standard-mode send.
func (d *Device) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if d.sendNow(buf, dst, tag, context) {
		r := d.requests.take(false)
		r.send, r.peer = true, dst
		r.status = device.Status{Source: d.rank, Tag: tag, Size: len(buf)}
		d.requests.finish(r)
		return r.handle, nil
	}
	r, err := d.send(buf, dst, tag, context, false, false)
	if err != nil {
		return 0, err
	}
	return r.handle, nil
}

// Issend starts a send that completes once the receiver has matched it.
func (d *Device) Issend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	r, err := d.send(buf, dst, tag, context, true, false)
	if err != nil {
		return 0, err
	}
	return r.handle, nil
}

// Send sends and waits until buf may be reused.
func (d *Device) Send(buf []byte, dst int, tag, context int32) error {
	if d.SendNow(buf, dst, tag, context) {
		return nil
	}
	r, err := d.send(buf, dst, tag, context, false, true)
	if err != nil {
		return err
	}
	_, err = d.await(r, dst)
	return err
}

// SendNow implements device.ImmediateSender.
func (d *Device) SendNow(buf []byte, dst int, tag, context int32) bool {
	if !d.sendNow(buf, dst, tag, context) {
		return false
	}
	d.shortcut(device.AnySource)
	return true
}

// sendNow is the fast path of a standard send: it pushes a message of one packet, if it can be
// pushed without waiting and its arguments are valid. Otherwise it does nothing and returns false.
func (d *Device) sendNow(buf []byte, dst int, tag, context int32) bool {
	if uint(dst) >= uint(d.size) || tag < 0 || len(buf) > d.peers[dst].fragment || dst == d.rank || !d.peers[dst].eager(dst, buf) {
		return false
	}
	p := &d.peers[dst]
	n := cost(len(buf))
	if !p.free() || !p.flow.room(n) || d.closed || d.broken != nil ||
		!d.push(p, header(kindEager, 0, tag, context, uint64(len(buf))), buf) {
		return false
	}
	p.flow.spent += n
	return true
}

// Ssend sends and waits until the receiver has matched.
func (d *Device) Ssend(buf []byte, dst int, tag, context int32) error {
	r, err := d.send(buf, dst, tag, context, true, true)
	if err != nil {
		return err
	}
	_, err = d.await(r, dst)
	return err
}

// send starts a send.
func (d *Device) send(buf []byte, dst int, tag, context int32, sync, hidden bool) (*request, error) {
	if err := d.checkDestination(dst, tag); err != nil {
		return nil, err
	}
	p := &d.peers[dst]
	if !sync && len(buf) <= p.eagerLimit && dst != d.rank && !p.flow.room(cost(len(buf))) {
		// The credit that it needs may have arrived and not been polled yet.
		d.progress(dst)
	}
	if err := d.breach(context); err != nil {
		return nil, err
	}
	if p.err != nil {
		return nil, p.err
	}
	r := d.requests.take(hidden)
	r.send, r.sync, r.moved = true, sync, 0
	r.buf, r.peer, r.tag, r.context = buf, dst, tag, context
	r.status = device.Status{Source: d.rank, Tag: tag, Size: len(buf)}
	if dst == d.rank {
		d.sendSelf(r)
	} else if !p.free() || !d.launch(p, r) {
		p.sends.push(r)
		d.enlist(p)
	}
	return r, nil
}

// launch pushes as much of a send as there is room for. It reports whether the send can leave the
// queue: all packets of an eager message are pushed, or a rendezvous is announced.
func (d *Device) launch(p *peer, r *request) bool {
	limit := p.fragment
	if r.moved == 0 {
		limit = p.packet(len(r.buf))
		n := cost(len(r.buf))
		if r.part.used || r.sync || !p.eager(p.rank, r.buf) || !p.flow.room(n) {
			return d.announce(p, r)
		}
		if p.lander != nil && len(r.buf) > p.fragment {
			return d.launchLong(p, r, n)
		}
		first := min(len(r.buf), limit)
		if !d.push(p, header(kindEager, 0, r.tag, r.context, uint64(len(r.buf))), r.buf[:first]) {
			return false
		}
		p.flow.spent += n
		r.moved = first
	}
	for r.moved < len(r.buf) {
		n := min(len(r.buf)-r.moved, limit)
		if !d.push(p, header(kindFragment, 0, 0, 0, 0), r.buf[r.moved:r.moved+n]) {
			return false
		}
		r.moved += n
	}
	d.requests.finish(r)
	return true
}

// packet returns the size of the packets of an eager message of size bytes of which nothing is
// pushed. A receiver that waits for it waits for the first packet, and the sender has nothing to do
// during the last; therefore a longer message has at least four, if they are not too short. In a
// stream, in which the peer is not known to have taken the messages before, long packets cost less.
// Packets of whole pages begin at the same offset from a page as the message.
func (p *peer) packet(size int) int {
	if size <= p.fragment || p.flow.spent != p.flow.back {
		return p.fragment
	}
	const page = 4 << 10
	return min(max(((size+3)/4+page-1)&^(page-1), p.minFragment), p.fragment)
}

// launchLong pushes an eager message of n units as one long packet, whose data the wire may write
// later.
func (d *Device) launchLong(p *peer, r *request, n uint32) bool {
	h := p.flow.withCredit(header(kindEager, 0, r.tag, r.context, uint64(len(r.buf))))
	s := p.lander.PushLong(p.rank, h, r.buf, uint64(r.handle))
	if s == Busy {
		return false
	}
	p.flow.advertised = p.flow.freed
	p.flow.spent += n
	if s == Done {
		d.requests.finish(r)
	} else {
		r.part = transfer{used: true, far: p.rank, awaited: waitOwn}
	}
	return true
}

// sendSelf sends to this rank itself: into a posted receive, or as an unexpected message, which is
// copied if there is room for eager messages and otherwise stays in the sender's buffer.
func (d *Device) sendSelf(r *request) {
	if to := d.posted.match(d.rank, r.tag, r.context); to != nil {
		d.matched(to, d.rank, r.tag, len(r.buf))
		d.receiveSelf(to, r)
		return
	}
	m := d.unexpected.take()
	m.source, m.tag, m.context, m.size = d.rank, r.tag, r.context, len(r.buf)
	self := &d.peers[d.rank]
	f := &self.flow
	if units := cost(len(r.buf)); !r.sync && len(r.buf) <= self.eagerLimit && f.room(units) {
		f.spent += units
		m.units = units
		m.data = d.pool.lend(len(r.buf))
		m.got = copy(m.data, r.buf)
		d.requests.finish(r)
	} else {
		m.self = r
	}
	d.unexpected.add(m)
}

// receiveSelf completes a receive and the send of this rank that it matched.
func (d *Device) receiveSelf(to, from *request) {
	copy(to.buf, from.buf)
	d.requests.finish(to)
	d.requests.finish(from)
}
