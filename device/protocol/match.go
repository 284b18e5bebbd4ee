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

	searches searches[*request]
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
	r := p.first(p.source[src].head, src, tag, context)
	if open := p.first(p.any.head, device.AnySource, tag, context); r == nil || open != nil && open.order < r.order {
		r = open
	}
	if r != nil {
		p.remove(r)
	}
	return r
}

// remove removes a posted receive.
func (p *posted) remove(r *request) {
	if r.searches > 0 {
		p.searches.forget(r)
	}
	r.queue.remove(r)
	p.n--
}

// first returns the first receive of the queue of src, which begins with r, that accepts a message,
// or nil.
func (p *posted) first(r *request, src int, tag, context int32) *request {
	for range shortSearch {
		if r == nil || r.fits(tag, context) {
			return r
		}
		r = r.next
	}
	return p.searches.seek(r, src, tag, context)
}

// fits reports whether a receive accepts a message from its source.
func (r *request) fits(tag, context int32) bool {
	return r.context == context && (r.tag == tag || r.tag == device.AnyTag)
}

func (r *request) ends() *int          { return &r.searches }
func (r *request) after(int) *request  { return r.next }
func (r *request) before(int) *request { return r.prev }

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
// arrival, that of its source and that of all. Recycled messages are in no list.
type unexpected struct {
	source   []messages
	head     *message // of all sources
	tail     *message
	recycled *message // linked by next

	searches searches[*message]
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
	if m.searches > 0 {
		u.searches.forget(m)
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
		if m == nil || m.fits(tag, context) {
			return m
		}
		m = m.after(src)
	}
	return u.searches.seek(m, src, tag, context)
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

// fits reports whether a receive or probe with these arguments accepts m from its source.
func (m *message) fits(tag, context int32) bool {
	return m.context == context && (m.tag == tag || tag == device.AnyTag)
}

func (m *message) ends() *int { return &m.searches }

// A node is an element of the queues that searches compare: a posted receive or an unexpected
// message.
type node[N any] interface {
	comparable
	fits(tag, context int32) bool
	after(src int) N // neighbours in the queue of a source, which may be device.AnySource
	before(src int) N
	ends() *int // number of searches whose last node is this one
}

// A search stores its arguments and the last node that was compared without a match, so that
// repeated searches in a long queue compare each other node only once. Invariant: no node up to
// last fits the arguments. It holds, because nodes are added at the end only, and one that is
// removed was either not compared, or its predecessor becomes the last.
type search[N node[N]] struct {
	src          int
	tag, context int32
	last         N // nil: no node has been compared
}

const (
	shortSearch = 16 // nodes compared before a search is stored
	stored      = 8  // searches stored
)

// searches stores the last searches in a set of queues.
type searches[N node[N]] struct {
	all    [stored]search[N]
	oldest int // the search that is overwritten next
	steps  int // steps of seek, counted for tests
}

// seek returns the first node that fits in the queue of src, or nil. It continues a stored search,
// or begins one at next, before which no node fits.
func (k *searches[N]) seek(next N, src int, tag, context int32) N {
	var none N
	var s *search[N]
	for i := range k.all {
		if o := &k.all[i]; o.src == src && o.tag == tag && o.context == context {
			s = o
			break
		}
	}
	if s == nil {
		s = &k.all[k.oldest]
		k.oldest = (k.oldest + 1) % stored
		k.leave(s, none)
		*s = search[N]{src: src, tag: tag, context: context}
	}
	last := s.last
	if last != none {
		next = last.after(src)
	}
	for next != none && !next.fits(tag, context) {
		next, last = next.after(src), next
		k.steps++
	}
	k.leave(s, last)
	return next
}

// leave sets the last node of a search.
func (k *searches[N]) leave(s *search[N], last N) {
	var none N
	if s.last != none {
		*s.last.ends()--
	}
	if s.last = last; last != none {
		*last.ends()++
	}
}

// forget moves the searches that end at a node, which is about to be removed, to its predecessor.
func (k *searches[N]) forget(n N) {
	for i := 0; *n.ends() > 0; i++ {
		if s := &k.all[i]; s.last == n {
			k.leave(s, n.before(s.src))
		}
	}
}
