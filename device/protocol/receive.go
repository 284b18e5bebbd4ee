package protocol

import "gobench/device"

// Irecv starts a receive.
func (d *Device) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	r, err := d.receive(buf, src, tag, context, false)
	if err != nil {
		return 0, err
	}
	return r.handle, nil
}

// Recv receives and waits.
func (d *Device) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if uint(src) < uint(d.size) && tag >= 0 && d.direct != nil && !d.closed && d.broken == nil && d.idle(src) {
		if h, data, ok := d.direct.Look(src, directTurns); ok {
			if h.isWhole(tag, context, len(data)) && len(data) <= len(buf) {
				return d.take(buf, src, h, data)
			}
			// Something else: let it meet the receive as usual.
			r, err := d.receive(buf, src, tag, context, true)
			if err != nil {
				return device.Status{}, err
			}
			d.Packet(src, h, data)
			d.direct.Done(src)
			return d.await(r, src)
		}
	}
	r, err := d.receive(buf, src, tag, context, true)
	if err != nil {
		return device.Status{}, err
	}
	return d.await(r, src)
}

// directTurns bounds how long Recv looks before it posts a request: about as
// long as the answer of a near peer takes.
const directTurns = 500

// idle reports whether the next message from src must go to a receive that
// names it: no message is unexpected or arriving, and no receive is posted.
func (d *Device) idle(src int) bool {
	p := &d.peers[src]
	return d.posted.n == 0 && d.unexpected.source[src].head == nil && p.arriving.size == 0 &&
		p.lost == nil && len(d.backlog) == 0
}

// take completes a receive with the message that lies in the wire.
func (d *Device) take(buf []byte, src int, h Header, data []byte) (device.Status, error) {
	p := &d.peers[src]
	n := copy(buf, data)
	sane := p.flow.onCredit(h.credit())
	d.direct.Done(src)
	if !sane {
		d.violation(p, "a credit for what was never sent", h)
		return device.Status{}, p.lost
	}
	d.passed(p, cost(n))
	d.shortcut(src)
	return device.Status{Source: src, Tag: h.tag(), Size: n}, nil
}

// receive starts a receive: it takes the first unexpected message that fits, or is
// posted.
func (d *Device) receive(buf []byte, src int, tag, context int32, hidden bool) (*request, error) {
	if err := d.checkSource(src, tag); err != nil {
		return nil, err
	}
	if err := d.breach(context); err != nil {
		return nil, err
	}
	m := d.unexpected.find(src, tag, context)
	if m == nil {
		if err := d.unreachable(src); err != nil {
			return nil, err
		}
	}
	r := d.requests.take(hidden)
	r.send = false
	r.buf, r.peer, r.tag, r.context = buf, src, tag, context
	if m == nil {
		d.posted.add(r)
		return r, nil
	}
	d.unexpected.remove(m)
	d.matched(r, m.source, m.tag, m.size)
	switch {
	case m.self != nil:
		d.receiveSelf(r, m.self)
	case m.rendezvous:
		d.peers[m.source].flow.unasked--
		d.accept(r, m.remote, m.key, m.keyed)
	default:
		d.takeOver(r, m)
		return r, nil // takeOver has recycled m
	}
	d.unexpected.give(m)
	return r, nil
}

// unreachable returns the error of a receive that no message can satisfy any
// more, or nil. A receive from any source fails once a peer has died, because the message might have
// been that peer's; peers that have closed their device do not matter while there are others.
func (d *core) unreachable(src int) error {
	if src == device.AnySource {
		if d.lost != nil {
			return d.lost.lost
		}
		return nil
	}
	return d.peers[src].lost
}

// matched notes what a receive has got.
func (d *Device) matched(r *request, src int, tag int32, size int) {
	r.status = device.Status{Source: src, Tag: tag, Size: size}
	if size > len(r.buf) {
		r.err = &device.TruncationError{Source: src, Tag: tag, Size: size, Room: len(r.buf)}
	}
}

// takeOver gives an unexpected eager message to its receive; what is still to
// arrive goes straight to the receive's buffer.
func (d *Device) takeOver(r *request, m *message) {
	copy(r.buf, m.data[:m.got])
	p := &d.peers[m.source]
	if m.got == m.size {
		d.requests.finish(r)
	} else {
		p.arriving.message, p.arriving.request = nil, r
	}
	d.discard(p, m)
}

// discard frees the memory of an unexpected eager message.
func (d *Device) discard(p *peer, m *message) {
	d.pool.giveBack(m.data)
	d.freed(p, m.units)
	d.unexpected.give(m)
}

// arrival is an eager message of several packets that is under way from a
// peer. It has a receive, or is still unexpected.
type arrival struct {
	size, got int
	request   *request
	message   *message
}

// eager takes the first packet of an eager message.
func (d *Device) eager(p *peer, h Header, data []byte) {
	size := int(h.W2)
	if h.W2 > uint64(d.eagerLimit) || len(data) > size || p.arriving.got < p.arriving.size {
		d.violation(p, "an eager message that cannot be", h)
		return
	}
	tag, context := h.tag(), h.context()
	units := cost(size)
	if r := d.posted.match(p.rank, tag, context); r != nil {
		copy(r.buf, data)
		d.matched(r, p.rank, tag, size)
		d.passed(p, units)
		if len(data) == size {
			d.requests.finish(r)
			return
		}
		p.arriving = arrival{size: size, got: len(data), request: r}
		return
	}
	if !p.flow.reserve(units) {
		d.violation(p, "more eager messages than agreed", h)
		return
	}
	m := d.unexpected.take()
	m.source, m.tag, m.context, m.size, m.units = p.rank, tag, context, size, units
	m.data = d.pool.lend(size)
	m.got = copy(m.data, data)
	d.unexpected.add(m)
	if m.got < size {
		p.arriving = arrival{size: size, got: m.got, message: m}
	}
}

// fragment takes a further packet of an eager message.
func (d *Device) nextFragment(p *peer, h Header, data []byte) {
	a := &p.arriving
	if len(data) > a.size-a.got || len(data) == 0 {
		d.violation(p, "a fragment of no message", h)
		return
	}
	if r := a.request; r != nil {
		if a.got < len(r.buf) {
			copy(r.buf[a.got:], data)
		}
	} else {
		a.message.got += copy(a.message.data[a.got:], data)
	}
	a.got += len(data)
	if a.got == a.size {
		r := a.request
		*a = arrival{}
		if r != nil {
			d.requests.finish(r)
		}
	}
}
