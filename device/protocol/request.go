package protocol

import "gobench/device"

// state is the state of a request.
type state uint8

const (
	free     state = iota
	active         // started
	complete       // has its result and waits to be released
)

// request is one operation. Requests are rows of a table that only grows; a device.Request names a
// row and its generation. A call takes a free row (take), what ends the operation completes it
// (finish), and Wait or Test frees it (release, drop):
//
//	free      in table.idle. No handle names it, because take changes the generation.
//	active    its buffer belongs to the device. A posted receive is in core's posted, a send with packets
//	          to push in peer.sends, a transfer with an own part in peer.bulk; an eager message that
//	          arrives in parts names its receive (arrival), and packets about a transfer name its handle.
//	complete  status and err are final, and neither this rank nor a peer accesses the buffer. It is
//	          in table.done, unless hidden.
//
// Invariants: finish is called once, when no list holds the request; a blocking call that has its
// result immediately may drop an active one. table.live counts the visible requests that are not
// free.
type request struct {
	handle device.Request
	state  state
	send   bool
	hidden bool // of a blocking call; Peek does not return it
	sync   bool // Issend: by rendezvous whatever the size

	peer    int // destination, or wanted source
	tag     int32
	context int32
	buf     []byte

	order      uint64   // posting order of a receive
	queue      *list    // the list that holds the request; nil if none does
	next, prev *request // neighbours there; next of a free row is the next free one
	searches   int      // searches of posted receives whose last is this one

	moved int      // bytes of an eager message already pushed
	part  transfer // rendezvous

	status device.Status
	err    error
}

// A request is in at most one list at a time, which it names, so it can leave in constant time
// whatever ends it. While it is in none, packets or completions find it by its handle.
//
// list is a queue of requests in order, linked through the requests.
type list struct{ head, tail *request }

// push appends r, which is in no list.
func (l *list) push(r *request) {
	r.queue, r.next, r.prev = l, nil, l.tail
	if l.tail == nil {
		l.head = r
	} else {
		l.tail.next = r
	}
	l.tail = r
}

// pushFront puts r before all others: a send or transfer that has to wait again.
func (l *list) pushFront(r *request) {
	r.queue, r.next, r.prev = l, l.head, nil
	if l.head == nil {
		l.tail = r
	} else {
		l.head.prev = r
	}
	l.head = r
}

// remove takes r out, in constant time. Neighbours are the other requests of this list only.
func (l *list) remove(r *request) {
	if r.prev == nil {
		l.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.queue, r.next, r.prev = nil, nil, nil
}

// table owns all requests of a device.
type table struct {
	rows []*request
	idle *request // free rows, linked by next, last in first out to stay in cache
	done list     // completed and visible to Peek, first completed first
	live int      // visible requests not yet released
}

// generation is added to a handle at each use of its row: the low half is the row, the high half
// counts its uses from 1 on, so a handle that was released names none of the next 2^32 - 2 requests
// of its row.
const generation = 1 << 32

// take returns an active request with a new handle. A hidden request is awaited by the call that
// started it.
func (t *table) take(hidden bool) *request {
	if t.idle == nil {
		t.grow()
	}
	r := t.idle
	t.idle, r.next = r.next, nil
	r.state = active
	if r.handle += generation; r.handle < generation {
		r.handle += generation // the count begins again, and 0 is never valid
	}
	r.hidden = hidden
	r.status = device.Status{}
	if !hidden {
		t.live++
	}
	return r
}

// grow doubles the number of rows. Requests never move, so pointers to them stay valid.
func (t *table) grow() {
	block := make([]request, max(64, len(t.rows)))
	for i := range block {
		block[i].handle = device.Request(len(t.rows))
		t.rows = append(t.rows, &block[i])
	}
	for i := len(block) - 1; i >= 0; i-- {
		block[i].next, t.idle = t.idle, &block[i]
	}
}

// lookup returns the live request of a handle, or nil.
func (t *table) lookup(h device.Request) *request {
	row := uint32(h)
	if int(row) >= len(t.rows) {
		return nil
	}
	r := t.rows[row]
	if r.handle != h || r.state == free {
		return nil
	}
	return r
}

// finish completes a request. status and err must be set.
func (t *table) finish(r *request) {
	r.state = complete
	if !r.hidden {
		t.done.push(r)
	}
}

// release returns the result of a completed request and frees its row.
func (t *table) release(r *request) (device.Status, error) {
	status, err := r.status, r.err
	if !r.hidden {
		t.done.remove(r)
	}
	t.drop(r)
	return status, err
}

// drop frees the row of a request that is in no list.
func (t *table) drop(r *request) {
	if !r.hidden {
		t.live--
	}
	r.state = free
	r.buf, r.err, r.sync = nil, nil, false
	if r.part.used {
		r.part = transfer{}
	}
	r.next, t.idle = t.idle, r
}

// A wire may not call its sink in Put or Get, so what completes there, or fails, waits for the next
// Poll, in order.
//
// Completions queues completed puts and gets until the wire's next Poll reports them.
type Completions struct{ list []completion }

// completion is a call of Sink.Completed that is due.
type completion struct {
	token uint64
	err   error
}

// Add adds a completed transfer.
func (c *Completions) Add(token uint64, err error) {
	c.list = append(c.list, completion{token, err})
}

// Len returns the number of completions not reported yet.
func (c *Completions) Len() int { return len(c.list) }

// Report passes all completions to the sink, which may add further ones, and reports whether there
// were any.
func (c *Completions) Report(sink Sink) bool {
	if len(c.list) == 0 {
		return false
	}
	for i := 0; i < len(c.list); i++ {
		sink.Completed(c.list[i].token, c.list[i].err)
	}
	c.list = c.list[:0]
	return true
}
