package protocol

import "gobench/device"

// A Raw is a device.Channel that carries messages over a Wire without matching: the n-th receive
// from a peer gets the n-th message of that peer, whatever tag and context are. All data goes in
// packets. It measures the wire without the device (level "raw").
//
// A line is in one of two states: receives wait (posted is not empty) or packets wait (early is not
// empty), or neither. due counts what the peer still has to send of a message whose first packet
// has arrived; size and got count what the first receive has taken of its message, which lags
// behind due while early packets exist. Each packet is held, by its size, from its arrival until it
// is copied into a receive; so flow.held is the memory of early, and eager_budget bounds it.
type Raw struct {
	core
	lines []line
}

// line is the incoming traffic from one peer.
type line struct {
	posted list          // receives in order; the first is being filled
	early  []earlyPacket // packets that arrived before their receive
	first  int           // of early
	size   int           // of the message that the first receive is taking
	got    int
	due    int // bytes still to arrive of the message on the wire
}

// earlyPacket holds data that arrived before its receive. size is the length of the message that it
// starts, or -1 for a continuation.
type earlyPacket struct {
	data []byte
	size int
}

var _ device.Channel = (*Raw)(nil)

// NewRaw returns a raw channel over w and the parts of c. It takes ownership of these wires even if
// it returns an error.
func NewRaw(w Wire, c Config) (*Raw, error) {
	k, err := newCore(w, c)
	if err != nil {
		return nil, err
	}
	// Up to half of the budget may be freed and not advertised yet (flow.shouldSendCredit),
	// so a packet must fit the other half.
	for _, w := range k.carriers {
		w.fragment = min(w.fragment, largestEager(max(1, k.budget/2)))
	}
	k.info.Path = func(int, device.Traffic) string { return "packets" }
	r := &Raw{core: k, lines: make([]line, c.Size)}
	r.sink, r.more, r.launcher = r, r.pushWaiting, r.launch
	r.onFailed = func(p *peer) { r.end(p, "interrupted", false) }
	return r, nil
}

// OpenRaw is Open for level raw.
func OpenRaw(w Wire, c Config, err error) (device.Channel, error) {
	if err != nil {
		return nil, err
	}
	d, err := NewRaw(w, c)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Isend starts a send. It completes when the last packet is pushed.
func (d *Raw) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	r, err := d.send(buf, dst, tag, false)
	if err != nil {
		return 0, err
	}
	return r.handle, nil
}

// Send sends and waits.
func (d *Raw) Send(buf []byte, dst int, tag, context int32) error {
	// As in Device.Send.
	if uint(dst) < uint(d.size) && tag >= 0 && len(buf) <= d.peers[dst].fragment {
		p := &d.peers[dst]
		if n := cost(len(buf)); p.free() && p.flow.room(n) && dst != d.rank && !d.closed &&
			d.push(p, header(kindEager, 0, 0, 0, uint64(len(buf))), buf) {
			p.flow.spent += n
			d.shortcut(device.AnySource)
			return nil
		}
	}
	r, err := d.send(buf, dst, tag, true)
	if err != nil {
		return err
	}
	_, err = d.await(r, dst)
	return err
}

// send starts a send, which leaves in packets while there is room and credit.
func (d *Raw) send(buf []byte, dst int, tag int32, hidden bool) (*request, error) {
	if err := d.checkDestination(dst, tag); err != nil {
		return nil, err
	}
	if dst == d.rank {
		return nil, &device.ArgumentError{Name: "destination", Value: dst, Want: "another rank at level raw"}
	}
	p := &d.peers[dst]
	if p.err != nil {
		return nil, p.err
	}
	r := d.requests.take(hidden)
	r.send, r.moved, r.buf, r.peer = true, -1, buf, dst
	r.status = device.Status{Source: d.rank, Tag: tag, Size: len(buf)}
	if !p.free() || !d.launch(p, r) {
		p.sends.push(r)
		d.enlist(p)
	}
	return r, nil
}

// launch pushes as many packets as there is room for. r.moved is -1 before the first one.
func (d *Raw) launch(p *peer, r *request) bool {
	limit := p.fragment
	if r.moved < 0 {
		limit = p.packet(len(r.buf))
	}
	for r.moved < len(r.buf) {
		at := max(r.moved, 0)
		n := min(len(r.buf)-at, limit)
		h := header(kindFragment, 0, 0, 0, 0)
		if r.moved < 0 {
			h = header(kindEager, 0, 0, 0, uint64(len(r.buf)))
		}
		if units := cost(n); !p.flow.room(units) || !d.push(p, h, r.buf[at:at+n]) {
			return false
		} else {
			p.flow.spent += units
		}
		r.moved = at + n
	}
	d.requests.finish(r)
	return true
}

// pushWaiting pushes the queued sends of a peer, which at this level is all there is.
func (d *Raw) pushWaiting(p *peer) (some, all bool) { return d.pushSends(p) }

// Irecv starts a receive of the next message from src.
func (d *Raw) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	r, err := d.receive(buf, src, tag, false)
	if err != nil {
		return 0, err
	}
	return r.handle, nil
}

// Recv receives and waits.
func (d *Raw) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if uint(src) < uint(d.size) && tag >= 0 && d.peers[src].peeker != nil && !d.closed && !d.meter.on && d.idle(src) {
		p := &d.peers[src]
		h, data, ok := p.peeker.Peek(src, p.looks)
		// As in Device.Recv. Anything but a whole message is left to the wire's Poll.
		if ok && h.kind() == kindEager && h.W2 == uint64(len(data)) && len(data) <= len(buf) && p.flow.onCredit(h.credit()) {
			n := p.copy(buf, data)
			p.peeker.Pop(src)
			d.passed(p, cost(n))
			d.shortcut(src)
			return device.Status{Source: src, Tag: tag, Size: n}, nil
		}
	}
	r, err := d.receive(buf, src, tag, true)
	if err != nil {
		return device.Status{}, err
	}
	return d.await(r, src)
}

// idle reports whether the next packet from src starts a message for which no receive is posted.
func (d *Raw) idle(src int) bool {
	l := &d.lines[src]
	return l.posted.head == nil && len(l.early) == 0 && l.due == 0 && d.peers[src].err == nil && len(d.backlog) == 0
}

// receive posts a receive behind the others from src, and takes packets that have arrived early.
// They are kept only while no receive is posted, so early packets and posted receives do not exist
// together.
func (d *Raw) receive(buf []byte, src int, tag int32, hidden bool) (*request, error) {
	if err := d.checkSource(src, tag); err != nil {
		return nil, err
	}
	if src == device.AnySource || src == d.rank {
		return nil, &device.ArgumentError{Name: "source", Value: src, Want: "another rank at level raw"}
	}
	r := d.requests.take(hidden)
	r.send, r.buf, r.peer, r.tag = false, buf, src, tag
	l, p := &d.lines[src], &d.peers[src]
	l.posted.push(r)
	for r.state == active && l.posted.head == r && l.first < len(l.early) {
		k := l.early[l.first]
		l.first++
		d.take(l, p, k.size, k.data)
		d.pool.giveBack(k.data)
		d.freed(p, cost(len(k.data)))
	}
	l.compact()
	if r.state == active && p.err != nil {
		l.posted.remove(r)
		r.err = p.err
		d.requests.finish(r)
	}
	return r, nil
}

// compact drops early packets that have been consumed.
func (l *line) compact() {
	if l.first*2 >= len(l.early) {
		n := copy(l.early, l.early[l.first:])
		l.early, l.first = l.early[:n], 0
	}
}

// plausible reports whether a packet of n bytes is valid after the packets before it.
func (l *line) plausible(size, n int) bool {
	if size >= 0 {
		if l.due != 0 || n > size {
			return false
		}
		l.due = size - n
		return true
	}
	l.due -= n
	return n > 0 && l.due >= 0
}

// take puts the data of a packet into the first posted receive.
func (d *Raw) take(l *line, p *peer, size int, data []byte) {
	r := l.posted.head
	if size >= 0 {
		l.size, l.got = size, 0
		r.status = device.Status{Source: p.rank, Tag: r.tag, Size: size}
		if size > len(r.buf) {
			r.err = &device.TruncationError{Source: p.rank, Tag: r.tag, Size: size, Room: len(r.buf)}
		}
	}
	if l.got < len(r.buf) {
		p.copy(r.buf[l.got:], data)
	}
	l.got += len(data)
	if l.got == l.size {
		l.posted.remove(r)
		d.requests.finish(r)
	}
}

// Goodbye implements Sink.
func (d *Raw) Goodbye(src int, dead uint64) {
	if p := &d.peers[src]; !p.gone() {
		p.deadRank = min(dead, uint64(d.size))
		d.end(p, d.closeReason(p), true)
	}
}

// Packet handles one packet from the wire (Sink).
func (d *Raw) Packet(src int, h Header, data []byte) {
	p, l := &d.peers[src], &d.lines[src]
	if p.gone() {
		return
	}
	if !p.flow.onCredit(h.credit()) {
		d.Failed(src, "it broke the protocol: a credit for what was never sent")
		return
	}
	size := -1
	switch h.kind() {
	case kindEager:
		size = int(min(h.W2, 1<<62))
	case kindFragment:
	case kindCredit:
		return
	case kindBye:
		d.Goodbye(src, h.W2)
		return
	default:
		d.Failed(src, "it broke the protocol: a packet of unknown kind")
		return
	}
	if size < -1 || !l.plausible(size, len(data)) || !p.flow.reserve(cost(len(data))) {
		d.Failed(src, "it broke the protocol: an invalid packet")
		return
	}
	if l.posted.head != nil && l.first == len(l.early) {
		d.take(l, p, size, data)
		d.freed(p, cost(len(data)))
		return
	}
	k := earlyPacket{data: d.pool.lend(len(data)), size: size}
	p.copy(k.data, data)
	l.early = append(l.early, k)
}

// Completed is never called, because Raw starts no Put or Get.
func (d *Raw) Completed(uint64, error) {}

// Land, Landed and Notice are for what no Raw sends, so the peer has broken the protocol.
func (d *Raw) Land(src int, _ Header, _ int) []byte {
	d.Failed(src, "it broke the protocol: a long packet")
	return nil
}

func (d *Raw) Landed(int) {}

func (d *Raw) Notice(src int, _ uint32) {
	d.Failed(src, "it broke the protocol: a notice")
}

// Failed handles the wire's report of a dead peer (Sink).
func (d *Raw) Failed(rank int, cause string) { d.end(&d.peers[rank], cause, false) }

// end ends all requests that need a peer: at this level all active ones with it.
func (d *Raw) end(p *peer, cause string, left bool) {
	if !d.lose(p, cause, left) {
		return
	}
	for _, r := range d.requests.rows {
		if r.state == active && r.peer == p.rank {
			r.queue.remove(r)
			r.err = p.err
			d.requests.finish(r)
		}
	}
}
