package comm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"gobench/comm/op"
	"gobench/device"
)

// Kinds of messages of a window, the lowest bits of their tag. The bits above are the operator.
// Those with an offset begin with it, in bytes, in a word.
const (
	kindPut           = int32(iota) // offset, data
	kindLongPut                     // offset, length; the data is a message of its own
	kindGet                         // offset, length
	kindAccumulate                  // offset, data
	kindGetAccumulate               // offset, data
	kindSwap                        // offset, the element to compare with, the one to store
	kindPost
	kindLock
	kindLockShared
	kindDone   // answers a lock, a flush or an unlock
	kindBroken // the window has failed on the sender
	// The target acts on these after all earlier operations of the sender.
	kindComplete
	kindFlush
	kindUnlock
	kindUnlockShared

	kindBits = 4
)

// Tags in the context after that of requests.
const (
	tagData   int32 = 0 // of long puts
	tagResult int32 = 1
	tagNever  int32 = 2 // of no message: receives with it fail when their source closes its device
)

const (
	wordBytes  = 8       // bytes of an offset or a length
	longestPut = 8 << 10 // bytes of data in a request; a multiple of every element
)

// A flight is a request of the device with its buffer, which goes back to the pool.
type flight struct {
	request device.Request
	buf     []byte // nil: not of the pool
	peer    int
}

// flights holds requests in the order in which they were started. Only the first is tested: they
// end nearly in that order, and each test polls the device.
type flights struct {
	list  []flight
	first int
}

func (f *flights) empty() bool { return f.first == len(f.list) }

func (f *flights) push(x flight) {
	if f.empty() || f.first > 1<<10 {
		f.list = f.list[:copy(f.list, f.list[f.first:])]
		f.first = 0
	}
	f.list = append(f.list, x)
}

// Step serves the window: it implements the task of the engine.
func (w *window) Step() (moved, done bool) {
	if w.failed == nil {
		if moved, w.failed = w.serve(); !moved && w.failed == nil {
			w.failed = w.watch()
		}
		if w.failed != nil {
			w.spread()
		}
	}
	return moved, false
}

// Includes implements the task of the engine.
func (w *window) Includes(rank int) bool { return w.c.local == nil || w.c.local[rank] != Undefined }

// spread reports the failure to the others, who may wait for this rank. They notice the
// loss of a rank themselves, and would get another error than its loss.
func (w *window) spread() {
	if _, ok := errors.AsType[*device.PeerError](w.failed); ok {
		return
	}
	for rank := range w.ranks {
		if rank != w.c.rank {
			w.send(&w.replies, kindBroken, rank, nil)
		}
	}
}

// serve ends what can be ended and serves the messages that have arrived.
func (w *window) serve() (moved bool, err error) {
	for _, list := range [...]*flights{&w.sends, &w.replies, &w.results, &w.arrivals} {
		for !list.empty() {
			x := list.list[list.first]
			if _, done, err := w.c.dev.Test(x.request); err != nil {
				return true, err
			} else if !done {
				break
			}
			moved = true
			list.first++
			if x.buf != nil {
				w.pool.give(x.buf)
			}
			if list == &w.arrivals {
				w.ranks[x.peer].arriving--
				if err := w.ordered(x.peer, 0); err != nil {
					return true, err
				}
			}
		}
	}
	for len(w.queue) > 0 && w.own.admits(w.queue[0].ticket, w.queue[0].shared) {
		moved = true
		if err := w.send(&w.replies, kindDone, w.queue[0].rank, nil); err != nil {
			return true, err
		}
		w.queue = append(w.queue[:0], w.queue[1:]...)
	}
	const limit = 64 // messages; others of this rank's operations wait meanwhile
	for range limit {
		if w.message.Size < 0 {
			s, done, err := w.c.dev.Test(w.inbox)
			if err != nil || !done {
				return moved, err
			}
			w.message = s
		}
		handled, err := w.handle(w.c.status(w.message).Source, w.message.Tag, w.buffer[:w.message.Size])
		if err != nil || !handled {
			return moved, err
		}
		moved = true
		if err := w.listen(); err != nil {
			return true, err
		}
	}
	return moved, nil
}

// watch finds, once in many calls, that another rank has closed its device or died. This rank may
// wait for its answer, or for a lock that it holds.
func (w *window) watch() error {
	const calls = 16
	w.idle++
	if len(w.losses) == 0 || w.idle%calls != 0 {
		return nil
	}
	_, _, err := w.c.dev.Test(w.losses[w.idle/calls%len(w.losses)])
	return err
}

// listen posts the receive of the next message.
func (w *window) listen() (err error) {
	w.message.Size = -1
	w.inbox, err = w.c.dev.Irecv(w.buffer, device.AnySource, device.AnyTag, w.context)
	return err
}

// handle serves a message. It reports false if a rank that accesses this rank's part directly
// accumulates at the moment: the message is handled later.
func (w *window) handle(src int, tag int32, body []byte) (bool, error) {
	kind := tag & (1<<kindBits - 1)
	if kind >= kindPost {
		return true, w.control(src, kind)
	}
	data := body[min(wordBytes, len(body)):]
	length := uint64(len(data))
	switch kind {
	case kindLongPut, kindGet:
		if len(data) != wordBytes {
			return true, w.broken(src, "a request has no length")
		}
		length = binary.LittleEndian.Uint64(data)
	case kindSwap:
		length /= 2
	}
	if len(body) < wordBytes {
		return true, w.broken(src, "a request has no offset")
	}
	offset := binary.LittleEndian.Uint64(body)
	if offset > uint64(len(w.mem)) || length > uint64(len(w.mem))-offset {
		return true, w.broken(src, fmt.Sprintf("it accesses %d bytes at %d of %d", length, offset, len(w.mem)))
	}
	mem := w.mem[offset : offset+length]
	switch kind {
	case kindPut:
		copy(mem, data)
		return true, nil
	case kindLongPut:
		q, err := w.c.dev.Irecv(mem, w.world[src], tagData, w.context+1)
		w.arrivals.push(flight{q, nil, src})
		w.ranks[src].arriving++
		return true, err
	case kindGet:
		return true, w.start(&w.replies, mem, false, src, tagResult)
	}
	operators := w.operators()
	number := tag >> kindBits
	if uint(number) >= uint(len(operators)) || operators[number] == nil || len(mem)%w.elem != 0 {
		return true, w.broken(src, "it accumulates with an unknown operator")
	}
	if !w.own.seize() {
		return false, nil
	}
	var old []byte
	if kind != kindAccumulate {
		old = w.pool.take(len(mem))
	}
	apply(kind, mem, data, old, operators[number])
	w.own.leave()
	if old == nil {
		return true, nil
	}
	return true, w.start(&w.replies, old, true, src, tagResult)
}

// apply combines data with mem, which is as long, or swaps it for the second half of data, and
// stores what was there before in old unless that is nil.
func apply(kind int32, mem, data, old []byte, o *op.Op) {
	copy(old, mem)
	if kind != kindSwap {
		o.Combine(mem, mem, data)
	} else if bytes.Equal(mem, data[:len(mem)]) {
		copy(mem, data[len(mem):])
	}
}

// control serves a message without an offset.
func (w *window) control(src int, kind int32) error {
	switch kind {
	case kindPost:
		w.ranks[src].posts++
	case kindLock, kindLockShared:
		w.queue = append(w.queue, waiter{src, w.own.draw(), kind == kindLockShared})
	case kindDone:
		if w.awaited--; w.awaited < 0 {
			return w.broken(src, "it answers what nobody asked")
		}
	case kindBroken:
		return &device.PeerError{Rank: w.world[src], State: "cannot go on", Cause: "its window has failed"}
	default:
		return w.ordered(src, 1<<kind)
	}
	return nil
}

// ordered adds to what a rank asked for after its operations, and does it once their data is here.
func (w *window) ordered(src int, kinds uint) error {
	r := &w.ranks[src]
	if r.deferred |= kinds; r.arriving > 0 || r.deferred == 0 {
		return nil
	}
	kinds, r.deferred = r.deferred, 0
	if kinds&(1<<kindComplete) != 0 {
		r.completes++
	}
	if kinds&(1<<kindUnlock|1<<kindUnlockShared) != 0 {
		w.own.release(kinds&(1<<kindUnlockShared) != 0)
	}
	if kinds == 1<<kindComplete {
		return nil
	}
	return w.send(&w.replies, kindDone, src, nil)
}

// send sends a message of the window. The body, from the pool, may be nil.
func (w *window) send(list *flights, tag int32, dst int, body []byte) error {
	if c := w.c; c.now != nil && c.now.SendNow(body, w.world[dst], tag, w.context) {
		if body != nil {
			w.pool.give(body)
		}
		return nil
	}
	q, err := w.c.dev.Isend(body, w.world[dst], tag, w.context)
	if err == nil {
		list.push(flight{q, body, dst})
	}
	return err
}

// start starts a message with data or a result. pooled buffers go back to the pool.
func (w *window) start(list *flights, buf []byte, pooled bool, dst int, tag int32) error {
	q, err := w.c.dev.Isend(buf, w.world[dst], tag, w.context+1)
	if !pooled {
		buf = nil
	}
	if err == nil {
		list.push(flight{q, buf, dst})
	}
	return err
}

func (w *window) broken(src int, detail string) error {
	return &device.ProtocolError{Rank: w.world[src], Detail: detail + " in a window"}
}
