package protocol

import "gobench/device"

// posted holds the unmatched receives by source, so that a message is compared only with receives
// that can match it. Between a receive with a source and one from AnySource the posting order
// decides (MPI 4.0, section 3.5).
//
// Invariants: no posted receive matches an unexpected message, because a receive looks at the
// messages before it is posted and a message at the receives before it is kept; every list is in
// posting order, that is, of ascending order.
type posted struct {
	source []list
	any    list
	count  uint64
	n      int // receives posted now
}

// add posts a receive behind all others.
func (p *posted) add(r *request) {
	p.count++
	p.n++
	r.order = p.count
	to := &p.any
	if r.peer != device.AnySource {
		to = &p.source[r.peer]
	}
	to.push(r)
}

// isNext reports whether r is the receive with which the next message of its source is compared
// first.
func (p *posted) isNext(r *request) bool {
	return r.peer >= 0 && p.source[r.peer].head == r && p.any.head == nil
}

// match removes and returns the first posted receive that matches the message, or nil.
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

// remove removes a posted receive.
func (p *posted) remove(r *request) {
	r.queue.remove(r)
	p.n--
}

// wanting returns the first receive from r on that accepts a message, or nil.
func wanting(r *request, tag, context int32) *request {
	for r != nil && (r.context != context || r.tag != tag && r.tag != device.AnyTag) {
		r = r.next
	}
	return r
}

// message is an unexpected message, one that arrived before its receive: an eager message with its
// data, or the announcement of a rendezvous.
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
	self       *request // the send, if this rank sent it to itself

	searches int // number of searches whose last message is this one

	next, prev       *message // of the same source
	nextAny, prevAny *message // of all sources, in order of arrival
}

// unexpected holds the messages that no receive has matched yet. Each is in two lists in order of
// arrival, that of its source and that of all. message.searches counts the searches whose last is
// that message, so that removing it moves them back by one; recycled messages are in no list.
type unexpected struct {
	source   []messages
	head     *message // of all sources
	tail     *message
	recycled *message // linked by next

	searches [searches]search
	oldest   int // the search that is overwritten next
	steps    int // steps of seek, counted for tests
}

// messages is a queue, linked by message.next.
type messages struct{ head, tail *message }

// take returns an empty message for add.
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

// add appends m to both lists.
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

// remove unlinks m; give recycles it later.
func (u *unexpected) remove(m *message) {
	for i := 0; m.searches > 0; i++ {
		if s := &u.searches[i]; s.last == m {
			u.leave(s, m.before(s.src))
		}
	}
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

// give recycles m, which is in no list. Its data has been given back before.
func (u *unexpected) give(m *message) {
	m.data, m.self = nil, nil
	m.next = u.recycled
	u.recycled = m
}

// find returns the first message that a receive with these arguments matches, without removing it,
// or nil.
func (u *unexpected) find(src int, tag, context int32) *message {
	m := u.head
	if src != device.AnySource {
		m = u.source[src].head
	}
	for range shortSearch {
		if m == nil || m.wantedBy(tag, context) {
			return m
		}
		m = m.after(src)
	}
	return u.seek(src, tag, context)
}

// A search stores its arguments and the last message that was compared without a match, so that
// repeated probes for a message that has not arrived compare each other message only once.
// Invariant: no message up to last matches the arguments. It holds, because messages are added at
// the end only, and one that is removed was either not compared, or its predecessor becomes the
// last.
type search struct {
	src          int
	tag, context int32
	last         *message // nil: no message has been compared
}

const (
	shortSearch = 16 // messages compared before a search is stored
	searches    = 8  // searches stored
)

// seek continues find from a stored search, after shortSearch messages that do not match.
func (u *unexpected) seek(src int, tag, context int32) *message {
	var s *search
	for i := range u.searches {
		if k := &u.searches[i]; k.src == src && k.tag == tag && k.context == context {
			s = k
			break
		}
	}
	if s == nil {
		s = &u.searches[u.oldest]
		u.oldest = (u.oldest + 1) % searches
		u.leave(s, nil)
		*s = search{src: src, tag: tag, context: context}
	}
	m, last := u.head, s.last
	if src != device.AnySource {
		m = u.source[src].head
	}
	if last != nil {
		m = last.after(src)
	}
	for m != nil && !m.wantedBy(tag, context) {
		m, last = m.after(src), m
		u.steps++
	}
	u.leave(s, last)
	return m
}

// leave sets the last message of a search.
func (u *unexpected) leave(s *search, last *message) {
	if s.last != nil {
		s.last.searches--
	}
	if s.last = last; last != nil {
		last.searches++
	}
}

// after returns the next message of src, which may be device.AnySource.
func (m *message) after(src int) *message {
	if src == device.AnySource {
		return m.nextAny
	}
	return m.next
}

// before returns the previous message of src.
func (m *message) before(src int) *message {
	if src == device.AnySource {
		return m.prevAny
	}
	return m.prev
}

// wantedBy reports whether a receive or probe with these arguments accepts m from its source.
func (m *message) wantedBy(tag, context int32) bool {
	return m.context == context && (m.tag == tag || tag == device.AnyTag)
}
