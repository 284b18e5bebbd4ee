package protocol

import (
	"errors"

	"gobench/device"
)

// A rendezvous moves a message between the two user buffers without a copy in eager memory. The
// sender announces it (RTS, with the key of its buffer if the receiver may read it). Once matched,
// the receiver chooses the method:
//
//	get       receiver reads all, FIN to the sender
//	put       CTS with the key of the receive buffer; sender writes all, FIN
//	split     CTS; receiver reads the front while the sender writes the back, a FIN each way
//	pipeline  CTS without a key; the data follows in packets, counted, without FIN
//
// If memory cannot be registered, the data is sent in packets, whatever the method. (Thesis,
// chapters 2 and 4: ibvdev's RNDZ_START, REPLY and END, ugnidev's GET and PUT.)

// A transfer is the rendezvous state of a request: the part of the message that this rank moves
// itself, and the events that complete the request. The states of a send, and what ends each:
//
//	queued      used is false, or the RTS found no room; the request is in peer.sends. A cancel
//	            withdraws it.
//	announced   asking, awaited is waitPeer, step is stepNone. FIN (get): complete. CTS: moving. A cancel
//	            adds waitCancel: the answer yes completes the request as cancelled, no removes
//	            waitCancel, and the CTS or FIN has come before it or follows.
//	moving      step is put or data, awaited has waitOwn, and waitPeer too if the receiver reads the
//	            front (split). ownDone removes waitOwn, the receiver's FIN waitPeer.
//
// Those of a receive begin with accept, at the match:
//
//	get         step is get, awaited is waitOwn; ownDone sends the FIN.
//	put         awaited is waitPeer; the sender's FIN or notice ends it.
//	split       step is get for the front, awaited has both.
//	pipeline    awaited is waitPeer; the data packet that fills dataAt..dataUntil ends it.
//
// Invariants: a request with used is complete when awaited becomes empty, and not before (arrived).
// While awaited has waitOwn, the request is in peer.bulk, or the wire owns its part until
// Completed. keyed: mine is registered, until the request ends in any way. The two parts of a split
// do not overlap. asking holds from the RTS to the first answer, and is counted in flow.announced.
// A packet that refers to a request in none of these states breaks the protocol, except after the
// goodbye of its sender (late). A long packet (Lander) has a transfer, too: awaited is waitOwn
// until Completed.
type transfer struct {
	used   bool
	far    int    // the other rank
	remote uint64 // its request
	theirs Key    // its buffer, if it gave a key
	mine   Key    // this request's buffer, if registered
	keyed  bool   // mine is valid
	asking bool   // announced and not answered yet

	step      step // what advance does next
	at        int  // own part: offset in the message,
	there     int  // what the offset in the memory of the peer is more (region.go),
	length    int  // bytes,
	moved     int  // bytes pushed, if it is sent in packets
	awaited   waits
	dataAt    int // next offset of the peer's part, if that arrives in packets
	dataUntil int
}

// step is the next action of the own part.
type step uint8

const (
	stepNone step = iota
	stepGet
	stepPut
	stepData
	stepWrite // a put of a region, which the peer does not await
)

// waits is a set of events that must happen before a request is complete.
type waits uint8

const (
	waitOwn    waits = 1 << iota // the own part has been moved
	waitPeer                     // CTS or FIN, or all data
	waitCancel                   // the answer to a cancel
)

// announce pushes the RTS of a send. It reports false if there is no room, or if too many
// announcements are unanswered.
func (d *Device) announce(p *peer, r *request) bool {
	if p.flow.announced >= d.announced {
		return false
	}
	t := &r.part
	if !t.used {
		*t = transfer{used: true, far: p.rank}
		if p.route(p.rank, len(r.buf), Transfer{Mine: r.buf}).Key {
			d.register(t, r.buf)
		}
	}
	data := rts{size: uint64(len(r.buf)), keyed: t.keyed, key: t.mine}.encode(&d.scratch)
	if !d.push(p, header(kindRTS, 0, r.tag, r.context, uint64(r.handle)), data) {
		return false
	}
	t.awaited |= waitPeer
	t.asking = true
	p.flow.announced++
	return true
}

// answered records the first answer to an announcement.
func (p *peer) answered(t *transfer) {
	if t.asking {
		t.asking = false
		p.flow.announced--
	}
}

// register gives the wire of a transfer access to its buffer. A failure is no error: the data then
// goes in packets.
func (d *Device) register(t *transfer, buf []byte) {
	rma := d.peers[t.far].rma
	if rma == nil || len(buf) == 0 {
		return
	}
	key, err := rma.Register(buf)
	t.mine, t.keyed = key, err == nil
}

// onRTS handles an RTS.
func (d *Device) onRTS(p *peer, h Header, data []byte) {
	a, ok := decodeRTS(data)
	if !ok {
		d.violation(p, "a malformed RTS", h)
		return
	}
	size := int(a.size)
	if r := d.posted.match(p.rank, h.tag(), h.context()); r != nil {
		d.matched(r, p.rank, h.tag(), size)
		d.accept(r, h.W2, a.key, a.keyed)
		return
	}
	if p.flow.unasked++; p.flow.unasked > d.announced {
		d.violation(p, "more announcements than agreed", h)
		return
	}
	m := d.unexpected.take()
	m.source, m.tag, m.context, m.size = p.rank, h.tag(), h.context(), size
	m.rendezvous, m.remote, m.key, m.keyed = true, h.W2, a.key, a.keyed
	d.unexpected.add(m)
}

// accept starts the receiver's side of a rendezvous that r has matched.
func (d *Device) accept(r *request, remote uint64, key Key, keyed bool) {
	p := &d.peers[r.status.Source]
	n := min(r.status.Size, len(r.buf))
	r.part = transfer{used: true, far: p.rank, remote: remote, theirs: key}
	t := &r.part

	method := p.route(p.rank, r.status.Size, Transfer{Mine: r.buf[:n], Theirs: key, Keyed: keyed, Crowded: d.crowded(p),
		Both: p.flow.announced > 0 || p.bulk.head != nil, Stream: d.streams(p)}).Method
	if !keyed && (method == Get || method == Split) {
		method = Put
	}
	if n == 0 {
		method = Get // nothing to move: the sender needs the FIN only
	} else if method != Pipeline {
		d.register(t, r.buf[:n])
		if !t.keyed {
			method = Pipeline
		}
	}
	switch method {
	case Get:
		t.length = n
	case Split:
		// Aligned, so that the two sides never write the same cache line.
		t.length = n / 2 &^ (splitGrain - 1)
	}
	if t.length < n {
		t.dataAt, t.dataUntil = t.length, n
		t.awaited |= waitPeer
		c := cts{method: method, at: uint64(t.length), until: uint64(n), request: uint64(r.handle), key: t.mine}
		d.answer(p, header(kindCTS, 0, 0, 0, remote), c.encode(&d.scratch))
	}
	switch {
	case t.length > 0:
		t.step = stepGet
		t.awaited |= waitOwn
		p.bulk.push(r)
		d.enlist(p)
	case method == Get:
		d.ownDone(p, r)
	}
}

// splitGrain is the alignment of the boundary of a split transfer.
const splitGrain = 4096

// onCTS handles a CTS.
func (d *Device) onCTS(p *peer, h Header, data []byte) {
	c, ok := decodeCTS(data)
	r := d.partner(p, h.W2, true)
	if ok && p.late(r) {
		return
	}
	if !ok || r == nil || r.part.awaited&waitPeer == 0 || r.part.step != stepNone || c.at >= c.until || c.until > uint64(len(r.buf)) {
		d.violation(p, "an invalid CTS", h)
		return
	}
	t := &r.part
	p.answered(t)
	t.remote, t.theirs = c.request, c.key
	t.at, t.length = int(c.at), int(c.until-c.at)
	t.step = stepData
	if c.method != Pipeline && p.rma != nil {
		if !t.keyed {
			d.register(t, r.buf)
		}
		if t.keyed {
			t.step = stepPut
		}
	}
	t.awaited |= waitOwn
	if c.at == 0 {
		t.awaited &^= waitPeer // the peer reads nothing
	}
	p.bulk.push(r)
	d.enlist(p)
}

// advance progresses this rank's part of a transfer. It reports false if the wire has no room now.
func (d *Device) advance(p *peer, r *request) bool {
	t := &r.part
	own := r.buf[t.at : t.at+t.length]
	switch t.step {
	case stepGet, stepPut, stepWrite:
		var s Started
		switch {
		case t.step == stepPut && p.notifier != nil:
			s = p.notifier.PutNotice(p.rank, t.theirs, t.at, own, t.mine, uint64(r.handle), uint32(t.remote))
		case t.step == stepGet:
			s = p.rma.Get(p.rank, t.theirs, t.at+t.there, own, t.mine, uint64(r.handle))
		default:
			s = p.rma.Put(p.rank, t.theirs, t.at+t.there, own, t.mine, uint64(r.handle))
		}
		if s == Busy {
			return false
		}
		if r.state != active {
			return true // the peer failed meanwhile
		}
		if t.step == stepPut && p.notifier == nil {
			d.answer(p, header(kindFin, 0, 0, 0, t.remote), nil)
		}
		if s == Done {
			d.ownDone(p, r)
		}
	case stepData:
		for t.moved < t.length {
			n := min(t.length-t.moved, p.fragment)
			if !d.push(p, header(kindData, 0, 0, 0, t.remote), own[t.moved:t.moved+n]) {
				return false
			}
			t.moved += n
		}
		d.ownDone(p, r)
	}
	return true
}

// ownDone records that this rank's part is moved. A receiver notifies the sender that its buffer is
// no longer read.
func (d *Device) ownDone(p *peer, r *request) {
	if !r.send && !d.notify(p, r.part.remote) {
		d.answer(p, header(kindFin, 0, 0, 0, r.part.remote), nil)
	}
	d.arrived(r, waitOwn)
}

// arrived records an event, and completes the request with the last one.
func (d *Device) arrived(r *request, w waits) {
	t := &r.part
	t.awaited &^= w
	if t.awaited != 0 {
		return
	}
	d.unregister(t)
	d.requests.finish(r)
}

// unregister ends what register began. It may be called for any transfer, again too.
func (d *Device) unregister(t *transfer) {
	if t.keyed {
		t.keyed = false
		d.peers[t.far].rma.Deregister(t.mine)
	}
}

// onFin handles a FIN: the peer's part is complete.
func (d *Device) onFin(p *peer, h Header) {
	d.finish(p, d.requests.lookup(device.Request(h.W2)), h)
}

// finish completes the peer's part of a request.
func (d *Device) finish(p *peer, r *request, h Header) {
	if p.late(r) {
		return
	}
	if r == nil || r.state != active || !r.part.used || r.part.far != p.rank || r.part.awaited&waitPeer == 0 {
		d.violation(p, "a FIN that nothing waits for", h)
		return
	}
	p.answered(&r.part)
	d.arrived(r, waitPeer)
}

// onData handles a packet of a pipelined transfer.
func (d *Device) onData(p *peer, h Header, data []byte) {
	r := d.partner(p, h.W2, false)
	if r == nil || len(data) == 0 || len(data) > r.part.dataUntil-r.part.dataAt {
		d.violation(p, "data that nothing waits for", h)
		return
	}
	t := &r.part
	t.dataAt += p.copy(r.buf[t.dataAt:], data)
	if t.dataAt == t.dataUntil {
		d.arrived(r, waitPeer)
	}
}

// late reports whether an answer that a peer gave before its goodbye was known here is for a
// request that the goodbye has ended.
func (p *peer) late(r *request) bool { return p.state == closed && (r == nil || r.state != active) }

// partner returns the active rendezvous request with a handle if it is a send (or a receive) with
// this peer, else nil.
func (d *Device) partner(p *peer, handle uint64, send bool) *request {
	r := d.requests.lookup(device.Request(handle))
	if r == nil || r.state != active || r.send != send || !r.part.used || r.part.far != p.rank {
		return nil
	}
	return r
}

// Completed handles the completion of a Put, Get or PushLong (Sink).
func (d *Device) Completed(token uint64, err error) {
	r := d.requests.lookup(device.Request(token))
	if r == nil || r.state != active || r.part.awaited&waitOwn == 0 {
		return // its peer failed before
	}
	p := &d.peers[r.part.far]
	if err != nil {
		cause := "remote memory access failed: " + err.Error()
		if lost := (*device.PeerError)(nil); errors.As(err, &lost) {
			cause = lost.Cause
		}
		d.fail(p, cause)
		return
	}
	d.ownDone(p, r)
}

// notify sends a notice instead of a FIN if the wire is a Notifier and the notice would overtake no
// queued packet. A notice carries the row of the request without its generation, and no credit.
func (d *Device) notify(p *peer, request uint64) bool {
	return p.notifier != nil && !p.gone() && p.control.empty() && p.notifier.Notice(p.rank, uint32(request))
}

// Notice handles a notice (Sink).
func (d *Device) Notice(src int, word uint32) {
	p := &d.peers[src]
	if p.gone() {
		return
	}
	var r *request
	if int(word) < len(d.requests.rows) {
		r = d.requests.rows[word]
	}
	d.finish(p, r, header(kindFin, 0, 0, 0, uint64(word)))
}

// streams reports whether more messages of p are awaited, or have arrived before their receives.
func (d *Device) streams(p *peer) bool {
	return d.posted.source[p.rank].head != nil || d.unexpected.source[p.rank].head != nil
}

// crowded reports whether this rank awaits or transfers a message of a peer other than p.
func (d *Device) crowded(p *peer) bool {
	for _, q := range d.backlog {
		if q != p {
			return true
		}
	}
	if d.posted.n == 0 {
		return false
	}
	for source := range d.posted.source {
		if source != p.rank && d.posted.source[source].head != nil {
			return true
		}
	}
	return false
}
