package protocol

import (
	"cmp"

	"gobench/device"
)

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
	if uint(src) < uint(d.size) && tag >= 0 && d.peers[src].peeker != nil && !d.closed && d.broken == nil && !d.meter.on && d.idle(src) {
		if h, data, ok := d.peers[src].peeker.Peek(src, d.peers[src].looks); ok {
			if h.isWhole(tag, context, len(data)) && len(data) <= len(buf) {
				return d.take(buf, src, h, data)
			}
			// Another packet: process it after the receive is posted.
			r, err := d.receive(buf, src, tag, context, true)
			if err != nil {
				return device.Status{}, err
			}
			d.Packet(src, h, data)
			d.peers[src].peeker.Pop(src)
			return d.await(r, src)
		}
	}
	r, err := d.receive(buf, src, tag, context, true)
	if err != nil {
		return device.Status{}, err
	}
	return d.await(r, src)
}

// Wait waits for a request and releases it. A message of one packet that the request has to match
// is received past the lists of requests.
func (d *Device) Wait(handle device.Request) (device.Status, error) {
	if r := d.requests.lookup(handle); r != nil && !d.meter.on && !d.closed && d.broken == nil && len(d.backlog) == 0 && d.posted.isNext(r) {
		p := &d.peers[r.peer]
		if p.peeker != nil && p.arriving.size == 0 {
			h, data, ok := p.peeker.Peek(r.peer, p.turns)
			if ok && h.isWhole(r.tag, r.context, len(data)) && len(data) <= len(r.buf) {
				d.posted.remove(r)
				status, err := d.take(r.buf, r.peer, h, data)
				d.requests.drop(r)
				return status, err
			}
		}
	}
	return d.core.Wait(handle)
}

// Number of polls of Recv before it posts a request, serves other peers and yields: about the time
// in which a near peer answers with some KiB. Wires whose polls take longer get fewer.
const (
	quickLooks = 2000
	slowLooks  = 500
	callLooks  = 32 // of system calls
)

// idle reports whether the next message from src can only match a new receive: no message of it is
// unexpected or arriving, and no receive is posted.
func (d *Device) idle(src int) bool {
	p := &d.peers[src]
	return d.posted.n == 0 && d.unexpected.source[src].head == nil && p.arriving.size == 0 &&
		p.err == nil && len(d.backlog) == 0
}

// take completes a receive with the packet that Peek returned.
func (d *Device) take(buf []byte, src int, h Header, data []byte) (device.Status, error) {
	p := &d.peers[src]
	n := p.copy(buf, data)
	valid := p.flow.onCredit(h.credit())
	p.peeker.Pop(src)
	if !valid {
		d.violation(p, "a credit for what was never sent", h)
		return device.Status{}, p.err
	}
	if p.flow.freed += cost(n); p.flow.shouldSendCredit() {
		d.sendCredit(p)
	}
	d.shortcut(src)
	return device.Status{Source: src, Tag: h.tag(), Size: n}, nil
}

// receive starts a receive: it takes the first unexpected message that matches, or is posted.
func (d *Device) receive(buf []byte, src int, tag, context int32, hidden bool) (*request, error) {
	var m *message
	if uint(src) >= uint(d.size) || tag < 0 || d.closed || d.broken != nil || d.unexpected.source[src].head != nil || d.peers[src].err != nil {
		if err := d.checkSource(src, tag); err != nil {
			return nil, err
		}
		if err := d.breach(context); err != nil {
			return nil, err
		}
		if m = d.unexpected.find(src, tag, context); m == nil {
			if err := d.unreachable(src, context); err != nil {
				return nil, err
			}
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

// unreachable returns the error of a receive that no message can match any more, or nil. A receive
// from AnySource fails once any peer has died, because its message might have come from that peer;
// peers that have closed matter only when none is open any more. In a context that is confined,
// only its ranks count: a communicator goes on when a rank outside of it dies. There is no error
// where this rank is the only one of the context, because it may still send to itself, until it is
// interrupted. Once a rank is lost, this takes time for each rank of a context that is confined.
func (d *Device) unreachable(src int, context int32) error {
	if src != device.AnySource {
		return d.peers[src].err
	}
	if !d.anyLost {
		return nil
	}
	ranks, confined := d.senders[context]
	if !confined {
		return d.anyErr
	}
	var left error // of a rank that has closed
	open := false
	for _, rank := range ranks {
		p := &d.peers[rank]
		if p.state == failed {
			return p.err
		}
		open, left = open || p.open(d.rank), cmp.Or(left, p.err)
	}
	if open {
		return nil
	}
	return left
}

// matched records the message that a receive has matched.
func (d *Device) matched(r *request, src int, tag int32, size int) {
	r.status = device.Status{Source: src, Tag: tag, Size: size}
	if size > len(r.buf) {
		r.err = &device.TruncationError{Source: src, Tag: tag, Size: size, Room: len(r.buf)}
	}
}

// takeOver moves an unexpected eager message to its receive. Packets still to arrive are copied
// directly into the receive's buffer.
func (d *Device) takeOver(r *request, m *message) {
	p := &d.peers[m.source]
	if p.arriving.landing && p.arriving.message == m {
		p.arriving.request = r // Landed copies
		return
	}
	copy(r.buf, m.data[:m.got])
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

// copyFromBytes is the size in bytes from which Limits.CopyFrom copies the data of a packet: the
// routines hardly differ below (docs/notes/smem.md).
const copyFromBytes = 2 << 10

// copy copies the data of a packet of the peer to dst as far as that has room, and returns how many
// bytes.
func (p *peer) copy(dst, src []byte) int {
	if len(src) < copyFromBytes || p.limits.CopyFrom == nil {
		return copy(dst, src)
	}
	return p.copyFrom(dst, src)
}

func (p *peer) copyFrom(dst, src []byte) int {
	n := min(len(dst), len(src))
	p.limits.CopyFrom(p.rank, dst[:n], src[:n])
	return n
}

// arrival is a partly received eager message, of which a peer has at most one: until the last part,
// its other packets are answers and transfers, which are not eager. The parts go to request.buf, as
// far as it has room, or to message.data if the message is unexpected. A long packet (landing) has
// both if its receive is too short: Landed then copies what fits.
type arrival struct {
	size, got int
	request   *request
	message   *message
	landing   bool // a long packet: the wire writes into the memory of message, or else of request
}

// onEager handles the first packet of an eager message.
func (d *Device) onEager(p *peer, h Header, data []byte) {
	size := int(h.W2)
	if h.W2 > uint64(p.eagerLimit) || len(data) > size || p.arriving.got < p.arriving.size {
		d.violation(p, "an invalid eager message", h)
		return
	}
	tag, context := h.tag(), h.context()
	units := cost(size)
	if r := d.posted.match(p.rank, tag, context); r != nil {
		p.copy(r.buf, data)
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
	m.got = p.copy(m.data, data)
	d.unexpected.add(m)
	if m.got < size {
		p.arriving = arrival{size: size, got: m.got, message: m}
	}
}

// Land implements Sink. A message whose receive is too short arrives as an unexpected one.
func (d *Device) Land(src int, h Header, size int) []byte {
	p := &d.peers[src]
	if p.gone() {
		return nil
	}
	if !p.flow.onCredit(h.credit()) {
		d.violation(p, "a credit for what was never sent", h)
		return nil
	}
	if h.kind() != kindEager || h.W2 != uint64(size) || size > p.eagerLimit || p.arriving.size > 0 || p.state != connected {
		d.violation(p, "an invalid long message", h)
		return nil
	}
	tag, context := h.tag(), h.context()
	units := cost(size)
	r := d.posted.match(src, tag, context)
	p.arriving = arrival{size: size, request: r, landing: true}
	if r != nil {
		d.matched(r, src, tag, size)
		if size <= len(r.buf) {
			d.passed(p, units)
			return r.buf[:size]
		}
	}
	if !p.flow.reserve(units) {
		d.violation(p, "more eager messages than agreed", h)
		return nil
	}
	m := d.unexpected.take()
	m.source, m.tag, m.context, m.size, m.units = src, tag, context, size, units
	m.data = d.pool.lend(size)
	if r == nil {
		d.unexpected.add(m)
	}
	p.arriving.message = m
	return m.data
}

// Landed implements Sink.
func (d *Device) Landed(src int) {
	p := &d.peers[src]
	a := p.arriving
	p.arriving = arrival{}
	if a.message != nil {
		a.message.got = a.size
		if a.request == nil {
			return
		}
		copy(a.request.buf, a.message.data)
		d.discard(p, a.message)
	}
	d.requests.finish(a.request)
}

// onFragment handles a further packet of an eager message.
func (d *Device) onFragment(p *peer, h Header, data []byte) {
	a := &p.arriving
	if len(data) > a.size-a.got || len(data) == 0 {
		d.violation(p, "a fragment of no message", h)
		return
	}
	if r := a.request; r != nil {
		if a.got < len(r.buf) {
			p.copy(r.buf[a.got:], data)
		}
	} else {
		a.message.got += p.copy(a.message.data[a.got:], data)
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

// Packet handles one packet from the wire (Sink).
func (d *Device) Packet(src int, h Header, data []byte) {
	p := &d.peers[src]
	if p.gone() {
		return
	}
	if !p.flow.onCredit(h.credit()) {
		d.violation(p, "a credit for what was never sent", h)
		return
	}
	switch h.kind() {
	case kindEager:
		d.onEager(p, h, data)
	case kindFragment:
		d.onFragment(p, h, data)
	case kindRTS:
		d.onRTS(p, h, data)
	case kindCTS:
		d.onCTS(p, h, data)
	case kindData:
		d.onData(p, h, data)
	case kindFin:
		d.onFin(p, h)
	case kindCredit: // the header carries everything
	case kindCancel:
		d.onCancel(p, h)
	case kindCancelled:
		d.onCancelled(p, h)
	case kindBye:
		d.Goodbye(src, h.W2)
	default:
		d.violation(p, "a packet of unknown kind", h)
	}
}

// Goodbye implements Sink.
func (d *Device) Goodbye(src int, dead uint64) {
	p := &d.peers[src]
	switch {
	case p.gone():
	case dead > uint64(d.size):
		d.violation(p, "a goodbye because of a rank outside of the job", header(kindBye, 0, 0, 0, dead))
	default:
		p.deadRank = dead
		d.startClosing(p)
	}
}

// Iprobe makes progress once and looks up an unexpected message (device.Device).
func (d *Device) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if err := d.checkSource(src, tag); err != nil {
		return device.Status{}, false, err
	}
	d.progress(src)
	status, found, err := d.lookup(src, tag, context)
	if !found && err == nil {
		d.testMiss(src)
	}
	return status, found, err
}

// lookup finds the message of a probe, without progress.
func (d *Device) lookup(src int, tag, context int32) (device.Status, bool, error) {
	if err := d.breach(context); err != nil {
		return device.Status{}, false, err
	}
	if m := d.unexpected.find(src, tag, context); m != nil {
		return device.Status{Source: m.source, Tag: m.tag, Size: m.size}, true, nil
	}
	return device.Status{}, false, d.unreachable(src, context)
}

// Probe waits for an unexpected message (device.Device).
func (d *Device) Probe(src int, tag, context int32) (device.Status, error) {
	if err := d.checkSource(src, tag); err != nil {
		return device.Status{}, err
	}
	d.meter.begin()
	var w device.WaitState
	for {
		status, found, err := d.lookup(src, tag, context)
		if found || err != nil {
			d.meter.count(status.Source)
			return status, err
		}
		d.step(&d.policy, &w, src, src)
	}
}

// Peek waits until one of the outstanding requests is complete (device.Device).
func (d *Device) Peek() (device.Request, error) {
	var w device.WaitState
	for {
		if d.closed {
			return 0, device.ErrClosed
		}
		if r := d.requests.done.head; r != nil {
			return r.handle, nil
		}
		if d.requests.live == 0 {
			return 0, device.ErrRequest
		}
		d.step(&d.policy, &w, device.AnySource, device.AnySource)
	}
}
