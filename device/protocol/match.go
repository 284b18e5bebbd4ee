package protocol

import "gobench/device"

// posted holds the receives that wait for a message. They are kept apart by
// source, so that a message looks only at receives that might want it; the
// posting order decides between a receive that names its source and one that
// takes any (MPI 4.0, section 3.5).
type posted struct {
	source []list
	any    list
	count  uint64
	n      int // receives posted now
}

func (p *posted) add(r *request) {
	p.count++
	p.n++
	r.order = p.count
	if r.peer == device.AnySource {
		p.any.push(r)
	} else {
		p.source[r.peer].push(r)
	}
}

// match removes and returns the first posted receive that wants the message,
// or nil.
func (p *posted) match(src int, tag, context int32) *request {
	r := wanting(p.source[src].head, tag, context)
	if open := wanting(p.any.head, tag, context); r == nil || open != nil && open.order < r.order {
		r = open
	}
	if r != nil {
		p.remove(r)
	}
	return r
}

// remove takes a posted receive out.
func (p *posted) remove(r *request) {
	r.queue.remove(r)
	p.n--
}

func wanting(r *request, tag, context int32) *request {
	for r != nil && (r.context != context || r.tag != tag && r.tag != device.AnyTag) {
		r = r.next
	}
	return r
}

// message is one that arrived before its receive: an eager message with its
// bytes, or the announcement of a rendezvous.
type message struct {
	source       int
	tag, context int32
	size         int

	data  []byte // eager: memory of the pool, size bytes long
	got   int    // eager: bytes arrived so far
	units uint32 // eager: held for the source

	rendezvous bool
	remote     uint64   // sender's request
	key        Key      // sender's buffer
	keyed      bool     // key is valid
	self       *request // the send, when it is this rank's own

	next, prev       *message // of the same source
	nextAny, prevAny *message // of all sources, in order of arrival
}

// unexpected holds the messages that no receive has asked for yet.
type unexpected struct {
	source   []messages
	head     *message // of all sources
	tail     *message
	recycled *message // linked by next
}

type messages struct{ head, tail *message }

// take returns an empty message to fill and add.
func (u *unexpected) take() *message {
	m := u.recycled
	if m == nil {
		block := make([]message, 64)
		for i := range block {
			block[i].next = u.recycled
			u.recycled = &block[i]
		}
		m = u.recycled
	}
	u.recycled = m.next
	*m = message{}
	return m
}

func (u *unexpected) add(m *message) {
	q := &u.source[m.source]
	m.prev = q.tail
	if q.tail == nil {
		q.head = m
	} else {
		q.tail.next = m
	}
	q.tail = m
	m.prevAny = u.tail
	if u.tail == nil {
		u.head = m
	} else {
		u.tail.nextAny = m
	}
	u.tail = m
}

// remove takes m out of the queues; give returns its memory later.
func (u *unexpected) remove(m *message) {
	q := &u.source[m.source]
	if m.prev == nil {
		q.head = m.next
	} else {
		m.prev.next = m.next
	}
	if m.next == nil {
		q.tail = m.prev
	} else {
		m.next.prev = m.prev
	}
	if m.prevAny == nil {
		u.head = m.nextAny
	} else {
		m.prevAny.nextAny = m.nextAny
	}
	if m.nextAny == nil {
		u.tail = m.prevAny
	} else {
		m.nextAny.prevAny = m.prevAny
	}
}

func (u *unexpected) give(m *message) {
	m.data, m.self = nil, nil
	m.next = u.recycled
	u.recycled = m
}

// find returns the first message that a receive with these arguments would
// get, leaving it in place, or nil.
func (u *unexpected) find(src int, tag, context int32) *message {
	if src == device.AnySource {
		m := u.head
		for m != nil && !m.wantedBy(tag, context) {
			m = m.nextAny
		}
		return m
	}
	m := u.source[src].head
	for m != nil && !m.wantedBy(tag, context) {
		m = m.next
	}
	return m
}

func (m *message) wantedBy(tag, context int32) bool {
	return m.context == context && (m.tag == tag || tag == device.AnyTag)
}
