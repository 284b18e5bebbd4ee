package weakmem

// An Order is the set of orderings that an access of a word has. The zero Order is a relaxed
// access.
type Order uint8

const (
	Acquire Order = 1 << iota // what the writer of the value knew is known
	Release                   // who reads the value knows what this thread knows
	SeqCst                    // the access has a place in the order of all accesses that have it

	reduced // a part of the orderings is taken away
)

// Atomic is the Order of the functions of sync/atomic.
const Atomic = Acquire | Release | SeqCst

// A Word is a shared variable that is accessed atomically.
type Word struct {
	name     string
	id       int
	messages []*message // in the order of their stores
}

// A message is a value that was stored to a word.
type message struct {
	value uint64
	at    int  // index among the messages of its word
	rmw   bool // a read-modify-write stored it, so nothing may come before it
	view  view // what a thread that acquires it learns
}

// A view holds the newest message of each location that a thread has seen, or passes on.
type view struct {
	seen []*message // by word: the newest known message; nil is the first
	// clock holds two counters for each thread, of its usual accesses of data and of those that
	// bypass the caches: the accesses until then are known.
	clock []uint16
}

func (v view) clone() view {
	return view{append([]*message(nil), v.seen...), append([]uint16(nil), v.clock...)}
}

func (v *view) join(o view) {
	v.joinSeen(o.seen)
	if len(v.clock) == 0 {
		v.clock = make([]uint16, len(o.clock))
	}
	for i, n := range o.clock {
		v.clock[i] = max(v.clock[i], n)
	}
}

func (v *view) joinSeen(seen []*message) {
	if len(v.seen) == 0 {
		v.seen = make([]*message, len(seen))
	}
	for id, m := range seen {
		if m != nil && m.at > v.floor(id) {
			v.seen[id] = m
		}
	}
}

// floor returns the index of the oldest message of a word that the view admits.
func (v *view) floor(id int) int {
	if len(v.seen) == 0 || v.seen[id] == nil {
		return 0
	}
	return v.seen[id].at
}

// insert stores a message behind another one.
func (w *Word) insert(behind *message, m *message) {
	at := behind.at + 1
	w.messages = append(w.messages, nil)
	copy(w.messages[at+1:], w.messages[at:])
	w.messages[at] = m
	for i := at; i < len(w.messages); i++ {
		w.messages[i].at = i
	}
}

// followed reports whether nothing may be stored directly behind a message.
func (w *Word) followed(m *message) bool {
	return m.at+1 < len(w.messages) && w.messages[m.at+1].rmw
}

// last returns the newest message.
func (w *Word) last() *message { return w.messages[len(w.messages)-1] }

// Value returns the value of the newest message, for Machine.Finally.
func (w *Word) Value() uint64 { return w.last().value }

// A Data is shared memory that is not accessed atomically.
type Data struct {
	name  string
	value uint64
	wrote access
	reads []access // by thread: the last one
}

// An access is the place of an access of data in the clock of its thread.
type access struct {
	thread, counter int
	count           uint16 // 0: none
}

// known reports whether an access happens before what a thread does now.
func (t *Thread) known(a access) bool {
	return a.count == 0 || a.thread == t.id || t.view.clock[a.counter] >= a.count
}
