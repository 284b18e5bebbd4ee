package naive

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"gobench/device"
)

// world is the state of a job; all of it is under the mutex.
type world struct {
	sync.Mutex
	inbox    [][]*message      // by receiver: messages that no receive has matched, oldest first
	posted   [][]*operation    // by receiver: receives that no message has matched, oldest first
	gone     []string          // by rank: why it is lost; empty while it lives
	killed   []bool            // by rank: lost without a goodbye
	bound    []map[int32][]int // by rank: its contexts that need ranks
	senders  []map[int32][]int // by rank: its contexts in which only these ranks send
	exported [][]byte          // by the number that is its name
	clock    int               // counts completions
	over     *atomic.Bool      // the driver was stopped
}

type message struct {
	src          int
	tag, context int32
	data         []byte
	sync         *operation // a synchronous send that waits for the match; else nil
}

// operation is a send or receive that has been started.
type operation struct {
	buf          []byte
	peer         int
	tag, context int32
	receive      bool
	late         *message // of Starving: what has matched, but is not transferred
	done         int      // when it completed, by world.clock; 0 while it has not
	asked        int      // of LateAnswers: tests since it completed
	status       device.Status
	err          error
}

func (o *operation) matches(m *message, f Fault) bool {
	return (o.peer == device.AnySource || o.peer == m.src) && (o.tag == device.AnyTag || o.tag == m.tag) &&
		(o.context == m.context || f == OneContext)
}

func (w *world) complete(o *operation, err error) {
	w.clock++
	o.done, o.err = w.clock, err
}

// answered reports whether the sender has learnt that its message was received, for LateAnswers:
// the receiver has closed, which is also the error of the send, or does not close for long.
func (w *world) answered(o *operation) bool {
	if cause := w.gone[o.peer]; cause != "" {
		o.err = &device.PeerError{Rank: o.peer, Cause: cause}
	}
	o.asked++
	return o.err != nil || o.asked > 1e5
}

// othersWait reports whether a message of another rank than a receive's waits, for Greedy.
func (w *world) othersWait(dst int, o *operation) bool {
	return o.receive && slices.ContainsFunc(w.inbox[dst], func(m *message) bool { return m.src != o.peer })
}

// deliver hands a message to the first receive that matches, or keeps it.
func (w *world) deliver(dst int, m *message, f Fault) {
	for pass := range 2 {
		for i, o := range w.posted[dst] {
			wild := o.peer == device.AnySource || o.tag == device.AnyTag
			if f == WildcardsLast && wild != (pass == 1) {
				continue
			}
			if o.matches(m, f) {
				w.posted[dst] = slices.Delete(w.posted[dst], i, i+1)
				w.transfer(o, m, f)
				return
			}
		}
	}
	if f == LosesAll || f == LosesZero && len(m.data) == 0 {
		return
	}
	box := w.inbox[dst]
	at := len(box)
	if f == Overtaking && at > 0 && box[at-1].src == m.src {
		at--
	}
	w.inbox[dst] = slices.Insert(box, at, m)
}

// post matches a receive with the first message that fits, or keeps it.
func (w *world) post(dst int, o *operation, f Fault) {
	if err := w.breach(dst, o.context, f); err != nil {
		w.complete(o, err)
		return
	}
	if i := w.find(dst, o, f); i >= 0 {
		m := w.inbox[dst][i]
		w.inbox[dst] = slices.Delete(w.inbox[dst], i, i+1)
		w.transfer(o, m, f)
		return
	}
	if err := w.lost(o, dst); err != nil && f != DeafToDeath {
		w.complete(o, err)
		return
	}
	w.posted[dst] = append(w.posted[dst], o)
}

func (w *world) find(dst int, o *operation, f Fault) int {
	return slices.IndexFunc(w.inbox[dst], func(m *message) bool { return o.matches(m, f) })
}

// transfer completes both sides of a match.
func (w *world) transfer(o *operation, m *message, f Fault) {
	if f == Starving && m.sync != nil && o.late == nil {
		o.late = m
		return
	}
	o.status = device.Status{Source: m.src, Tag: m.tag, Size: len(m.data)}
	var err error
	if len(m.data) > len(o.buf) {
		err = &device.TruncationError{Source: m.src, Tag: m.tag, Size: len(m.data), Room: len(o.buf)}
		if f == Overrun && len(o.buf) > 0 {
			o.buf = unsafe.Slice(&o.buf[0], len(o.buf)+1)
		}
		if f == ShortStatus {
			o.status.Size = len(o.buf)
		}
	}
	n := copy(o.buf, m.data)
	if f == Flipped && n >= 100 {
		o.buf[n-1] ^= 1
	}
	w.complete(o, err)
	if m.sync != nil && m.sync.done == 0 {
		w.complete(m.sync, nil)
	}
}

// lost returns the error of a receive that a lost peer cannot satisfy. A
// receive from AnySource needs every rank of its context that has not closed its device, or,
// when all others have, any of them.
func (w *world) lost(o *operation, self int) error {
	some, all := -1, true
	senders, confined := w.senders[self][o.context]
	for rank, cause := range w.gone {
		switch {
		case rank == self, o.peer == device.AnySource && confined && !slices.Contains(senders, rank):
		case cause == "":
			all = false
		case o.peer == rank, o.peer == device.AnySource && w.killed[rank]:
			return &device.PeerError{Rank: rank, Cause: cause}
		default:
			some = rank
		}
	}
	if o.peer == device.AnySource && all && some >= 0 {
		return &device.PeerError{Rank: some, Cause: w.gone[some]}
	}
	return nil
}

// lose marks a rank as gone and ends what needs it.
func (w *world) lose(rank int, cause string, killed bool, f Fault) {
	w.gone[rank], w.killed[rank] = cause, killed
	if f == DeafToDeath {
		return
	}
	for dst := range w.posted {
		w.posted[dst] = slices.DeleteFunc(w.posted[dst], func(o *operation) bool {
			err := w.lost(o, dst)
			if err != nil {
				w.complete(o, err)
			}
			return err != nil
		})
	}
	for _, m := range w.inbox[rank] {
		if m.sync != nil && m.sync.done == 0 {
			w.complete(m.sync, &device.PeerError{Rank: rank, Cause: cause})
		}
	}
	w.inbox[rank] = nil
	w.breakContexts(f)
}
