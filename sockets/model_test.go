package sockets

import (
	"fmt"
	"testing"

	"gobench/internal/weakmem"
)

const (
	acquire = weakmem.Acquire
	release = weakmem.Release
)

// flowModel is one direction of a connection: flow, its ring, the two bells, and memory of the
// writer that it offers. A byte is its number in the stream.
type flowModel struct {
	ring                       []*weakmem.Data
	tail, head, fin            *weakmem.Word
	offer, took                *weakmem.Word
	readerSleeps, writerSleeps *weakmem.Word
	data, room                 *weakmem.Word // bells: bytes that were not read yet
	addr                       *weakmem.Data // and length
	lent                       []*weakmem.Data
	sleep                      bool // the sides sleep, else they poll
}

func newFlowModel(m *weakmem.Machine, sleep bool, ring, lent int) *flowModel {
	word := func(name string) *weakmem.Word { return m.Word(name, 0) }
	return &flowModel{
		sleep: sleep, ring: m.Data("ring", ring), tail: word("tail"), head: word("head"), fin: word("fin"),
		offer: word("offer"), took: word("took"), readerSleeps: word("readerSleeps"), writerSleeps: word("writerSleeps"),
		data: word("data bell"), room: word("room bell"), addr: m.Data("addr and length", 1)[0], lent: m.Data("lent", lent),
	}
}

// behind is the order of what a side stores for its peer and what it loads after that. It matters
// where a side may sleep.
func (f *flowModel) behind(t *weakmem.Thread, part string) weakmem.Order {
	if !f.sleep {
		return 0
	}
	return t.Order(part, weakmem.SeqCst)
}

// wake is Conn.wake.
func (f *flowModel) wake(t *weakmem.Thread, sleeps, bell *weakmem.Word) {
	if f.sleep && t.Load(sleeps, f.behind(t, "wake: sleeps is read behind what the peer waits for")) != 0 && t.CompareAndSwap(sleeps, 1, 0, 0) {
		t.Update(bell, weakmem.Atomic, func(v uint64) uint64 { return v + 1 })
	}
}

// wait is Conn.wait: the end of it, behind polling, where a side may sleep, else polling alone.
// ready reads the words.
func (f *flowModel) wait(t *weakmem.Thread, sleeps, bell *weakmem.Word, ready func() bool, words ...*weakmem.Word) {
	if !f.sleep {
		for mark := t.Mark(); !ready(); {
			t.Idle(mark, words...)
		}
		return
	}
	t.Swap(sleeps, 1, f.behind(t, "wait: ready reads behind sleeps"))
	if !(t.Has("wait: what came before sleeps does not ring the bell") && ready()) {
		t.Await(bell, acquire, func(v uint64) bool { return v > 0 })
		t.Swap(bell, 0, weakmem.Atomic)
	}
	t.Store(sleeps, 0, 0)
}

// modelWriter is the writing half of a Conn.
type modelWriter struct {
	*flowModel
	next      uint64 // byte of the stream
	pos, free uint64
	count     uint64 // of offerState
}

// put writes a byte through the ring: Conn.fill, and wait where it is full.
func (w *modelWriter) put(t *weakmem.Thread) {
	size := uint64(len(w.ring))
	for w.pos == w.free {
		w.free = t.Load(w.head, t.Order("refresh: head before the ring is written", acquire)) + size
		if w.pos == w.free {
			w.wait(t, w.writerSleeps, w.room, func() bool {
				return w.pos-t.Load(w.head, w.behind(t, "writable: head is read behind sleeps")) != size
			}, w.head)
		}
		t.At("put", w.next, w.pos, w.free, w.count)
	}
	t.Write(w.ring[w.pos%size], w.next)
	w.pos++
	w.next++
	t.Swap(w.tail, w.pos, t.Order("put: bytes before tail", release)|w.behind(t, "put: sleeps is read behind tail"))
	w.wake(t, w.readerSleeps, w.data)
}

// lend writes all of lent by an offer, and what it has withdrawn through the ring: Conn.offer.
func (w *modelWriter) lend(t *weakmem.Thread) {
	w.count += offerNext
	for i, d := range w.lent {
		t.Write(d, w.next+uint64(i))
	}
	t.Write(w.addr, w.count)
	t.Store(w.took, 0, 0)
	t.Swap(w.offer, w.count|offerMade, t.Order("offer: bytes, addr and took before the offer", release)|w.behind(t, "offer: sleeps is read behind the offer"))
	w.wake(t, w.readerSleeps, w.data)
	t.At("offered", w.next, w.pos, w.free, w.count)
	answered := t.Order("offer: the answer before took, and before the bytes are changed", acquire)
	for {
		code := t.Load(w.offer, answered) - w.count
		if code != offerMade && code != offerTaken {
			break
		}
		if t.Choose(2) == 0 { // the reader answers while this side polls
			t.Await(w.offer, answered, func(v uint64) bool { return v&offerCode != offerMade && v&offerCode != offerTaken })
			break
		}
		if head := t.Load(w.head, acquire); code != offerTaken && w.pos-head < uint64(len(w.ring)) {
			w.withdraw(t, answered)
			break
		}
		w.wait(t, w.writerSleeps, w.room, func() bool {
			code := t.Load(w.offer, w.behind(t, "writable: the offer is read behind sleeps")) & offerCode
			if code != offerMade {
				return code != offerTaken
			}
			return w.pos-t.Load(w.head, w.behind(t, "writable: head is read behind sleeps")) != uint64(len(w.ring))
		}, w.offer, w.head)
		t.At("lend", w.next, w.pos, w.free, w.count)
	}
	n := t.Load(w.took, 0)
	w.next += n
	t.At("lent", w.next, w.pos, w.free, w.count)
	for range len(w.lent) - int(n) {
		w.put(t)
	}
}

// withdraw is Conn.withdraw.
func (w *modelWriter) withdraw(t *weakmem.Thread, answered weakmem.Order) {
	for mark := t.Mark(); ; t.Idle(mark, w.offer) {
		if t.CompareAndSwap(w.offer, w.count|offerMade, w.count, answered) {
			return
		}
		if code := t.Load(w.offer, answered) - w.count; code != offerMade && code != offerTaken {
			return
		}
	}
}

// closeWrite is Conn.CloseWrite.
func (w *modelWriter) closeWrite(t *weakmem.Thread) {
	t.Swap(w.fin, 1, t.Order("CloseWrite: tail before fin", release)|w.behind(t, "CloseWrite: sleeps is read behind fin"))
	w.wake(t, w.readerSleeps, w.data)
}

// modelReader is the reading half of a Conn.
type modelReader struct {
	*flowModel
	next        uint64 // byte of the stream
	pos         uint64
	count, done uint64 // of acceptState
}

func (r *modelReader) got(t *weakmem.Thread, d *weakmem.Data) {
	b := t.Read(d)
	t.Require(b == r.next, "byte %d is %d", r.next, b)
	r.next++
}

// held is consumer.held.
func (r *modelReader) held(t *weakmem.Thread) uint64 {
	n := t.Load(r.tail, t.Order("held: tail before the bytes", acquire)) - r.pos
	t.Require(n <= uint64(len(r.ring)), "%d bytes are in a ring of %d", n, len(r.ring))
	return n
}

// read is Conn.read, to the end of the stream.
func (r *modelReader) read(t *weakmem.Thread) {
	for {
		t.At("read", r.next, r.pos, r.count, r.done)
		first := t.Has("read: fin is read before tail")
		fin := first && t.Load(r.fin, t.Order("read: fin before tail", acquire)) != 0
		switch n := r.held(t); {
		case n > 0:
			r.get(t)
			continue
		case r.accept(t):
			continue
		}
		if fin = fin || !first && t.Load(r.fin, acquire) != 0; fin {
			return
		}
		r.wait(t, r.readerSleeps, r.data, func() bool {
			return t.Load(r.tail, r.behind(t, "readable: tail is read behind sleeps")) != r.pos ||
				t.Load(r.offer, r.behind(t, "readable: the offer is read behind sleeps"))&offerCode == offerMade ||
				t.Load(r.fin, r.behind(t, "readable: fin is read behind sleeps")) != 0
		}, r.tail, r.offer, r.fin)
	}
}

// get is consumer.get of one byte, and the end of Conn.drain.
func (r *modelReader) get(t *weakmem.Thread) {
	r.got(t, r.ring[r.pos%uint64(len(r.ring))])
	r.pos++
	t.Swap(r.head, r.pos, t.Order("get: bytes are read before head", release)|r.behind(t, "get: sleeps is read behind head"))
	if t.Load(r.writerSleeps, r.behind(t, "drain: sleeps is read behind head")) != 0 && r.held(t) <= uint64(len(r.ring)/2) {
		r.wake(t, r.writerSleeps, r.room)
	}
}

// accept is Conn.accept. It reports whether the caller has something to do.
func (r *modelReader) accept(t *weakmem.Thread) bool {
	state := t.Load(r.offer, t.Order("accept: the offer before the ring, addr and bytes", acquire))
	if state&offerCode != offerMade {
		return false
	}
	if t.Has("accept: the ring comes first") && r.held(t) != 0 {
		return true
	}
	count := state &^ offerCode
	if !t.CompareAndSwap(r.offer, state, count|offerTaken, 0) {
		return true
	}
	if count != r.count {
		r.count, r.done = count, 0
	}
	t.Require(t.Read(r.addr) == count, "addr is that of another offer")
	n, left, answer := t.Choose(uint64(len(r.lent))+1), uint64(len(r.lent))-r.done, uint64(offerMade)
	switch {
	case n == 0:
		answer = offerDeclined
	case n >= left:
		n, answer = left, offerNone
	}
	for range n {
		r.got(t, r.lent[r.done])
		r.done++
	}
	t.Store(r.took, r.done, 0)
	ok := t.CompareAndSwap(r.offer, count|offerTaken, count|answer,
		t.Order("accept: bytes are read, and took is written, before the answer", release)|r.behind(t, "accept: sleeps is read behind the answer"))
	t.Require(ok, "the offer has changed while it was taken")
	r.wake(t, r.writerSleeps, r.room)
	return true
}

// flowModelOf is a model of a writer with a script and a reader, which sleep or poll. 'r' is a
// byte through the ring, 'o' an offer of some bytes.
func flowModelOf(script string, sleep bool, ring, lent int) weakmem.Model {
	return weakmem.Model{Name: fmt.Sprintf("%s, sleep %v, ring of %d, offers of %d", script, sleep, ring, lent), Full: sleep, Build: func(m *weakmem.Machine) {
		f := newFlowModel(m, sleep, ring, lent)
		total := 0
		for _, what := range script {
			if total++; what == 'o' {
				total += lent - 1
			}
		}
		m.Thread("writer", func(t *weakmem.Thread) {
			w := &modelWriter{flowModel: f, free: uint64(ring)}
			for i, what := range script {
				t.At("write", i, w.next, w.pos, w.free, w.count)
				if what == 'o' {
					w.lend(t)
				} else {
					w.put(t)
				}
			}
			w.closeWrite(t)
		})
		m.Thread("reader", func(t *weakmem.Thread) {
			r := &modelReader{flowModel: f}
			r.read(t)
			t.Require(int(r.next) == total, "the stream ends after %d bytes of %d", r.next, total)
		})
	}}
}

// TestModels checks the protocols of this package under a weak memory model
// (docs/notes/weak-memory.md).
func TestModels(t *testing.T) {
	weakmem.Verify(t,
		flowModelOf("rrr", false, 2, 0),
		flowModelOf("ro", false, 1, 1),
		flowModelOf("ro", false, 1, 2),
		flowModelOf("oo", false, 1, 1),
		flowModelOf("rr", true, 1, 0),
		flowModelOf("ro", true, 1, 1),
	)
}
