package comm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"gobench/comm/op"
	"gobench/device"
)

// A window is a Window without its element type.
type window struct {
	c         *Comm
	context   int32 // of requests; data and results have the one after it
	elem      int   // bytes of an element
	operators func() [12]*op.Op
	sharer    device.Sharer // nil if memory is not shared
	allocated []byte        // of the device: control and mem; nil if mem is the caller's
	mem       []byte        // of this rank
	own       *control      // of this rank's part
	ranks     []part
	err       error    // the first error, of which this rank's calls know
	pair      [32]byte // of a swap

	// Of this rank's operations; what the service changes, too, is read with the engine locked.
	failed   error // the first error
	awaited  int   // answers
	started  []int
	exposed  []int
	asked    *control // that this rank waits for
	ticket   uint64
	sharing  bool
	until    struct{ settled, posted, completed, admitted, seized func() bool }
	sends    flights
	results  flights
	pool     pool
	replies  flights // of the service, as all below
	arrivals flights
	queue    []waiter
	inbox    device.Request
	losses   []device.Request // receives from the other ranks that end with an error
	idle     int              // calls of watch
	message  device.Status    // that is being handled; Size is -1 if there is none
	buffer   []byte
}

// A part is another rank's part of the window, and what this rank knows of that rank.
type part struct {
	bytes   int
	mem     []byte   // nil if this rank cannot reach it
	control *control // nil with mem
	dirty   bool     // operations were sent since the last flush
	shared  bool     // the lock is

	posts, completes int  // that have arrived and are not awaited yet
	arriving         int  // long puts
	deferred         uint // kinds of messages to be handled when they have arrived
}

// A waiter is a rank that asked for the lock of this rank's part.
type waiter struct {
	rank   int
	ticket uint64
	shared bool
}

// A control is what ranks that reach a part share beside its memory: a lock in the order of
// tickets, and another one that is held for the time of an accumulation. Its zero value is free.
type control struct {
	next, serving, readers atomic.Uint64
	accumulating           atomic.Uint64
}

// draw returns the ticket of a rank that wants the lock.
func (l *control) draw() uint64 { return l.next.Add(1) - 1 }

// admits reports whether the lock is now held by the owner of the ticket. It must not be called
// again then.
func (l *control) admits(ticket uint64, shared bool) bool {
	if l.serving.Load() != ticket {
		return false
	}
	if shared {
		l.readers.Add(1)
		l.serving.Add(1)
		return true
	}
	return l.readers.Load() == 0
}

func (l *control) release(shared bool) {
	if shared {
		l.readers.Add(^uint64(0))
	} else {
		l.serving.Add(1)
	}
}

func (l *control) seize() bool { return l.accumulating.CompareAndSwap(0, 1) }
func (l *control) leave()      { l.accumulating.Store(0) }

// controlBytes is the size of the control before shared memory: a page, so that the memory begins
// at one.
const controlBytes = 4096

// A description is what the ranks tell each other of their parts.
type description struct {
	bytes, elem uint64
	refused     uint64 // 1: the rank has no memory
	named       uint64 // bytes of name
	name        [64]byte
}

// open makes the window, collectively. It allocates that many bytes, unless that is negative.
func (w *window) open(allocate int) error {
	c := w.c
	context, err := c.agree()
	if err != nil {
		return err
	}
	w.context, w.ranks = context, make([]part, len(c.world))
	w.own, w.buffer = new(control), make([]byte, wordBytes+max(wordBytes, longestPut))
	w.until.settled, w.until.posted, w.until.completed = w.settled, w.posted, w.completed
	w.until.admitted = func() bool { return w.stopped() || w.asked.admits(w.ticket, w.sharing) }
	w.until.seized = func() bool { return w.stopped() || w.asked.seize() }
	mine, err := w.describe(allocate)
	all := make([]description, len(c.world))
	if e := Allgather(c, bytesOf(mine), bytesOf(all)); e != nil || err != nil {
		return cmp.Or(err, e)
	}
	if err := w.reach(all); err != nil {
		return err
	}
	c.engine.Lock()
	if b, ok := c.dev.(device.Binder); ok {
		if err = b.Bind(context, c.world); err == nil {
			err = b.Bind(context+1, c.world)
		}
	}
	if err == nil {
		err = w.listen()
	}
	for rank := range c.world {
		if rank != c.rank && err == nil {
			var q device.Request
			q, err = c.dev.Irecv(nil, c.world[rank], tagNever, context+1)
			w.losses = append(w.losses, q)
		}
	}
	c.engine.Unlock()
	if err == nil {
		c.engine.Begin(w)
	}
	return err
}

// describe allocates the memory and returns its description.
func (w *window) describe(allocate int) ([]description, error) {
	d := description{elem: uint64(w.elem), refused: 1}
	if allocate >= 0 {
		w.c.engine.Lock()
		mem, err := w.c.dev.Alloc(controlBytes + allocate)
		w.c.engine.Unlock()
		if err != nil {
			return []description{d}, err
		}
		w.allocated, w.own, w.mem = mem, (*control)(unsafe.Pointer(&mem[0])), mem[controlBytes:]
		if w.sharer, _ = w.c.dev.(device.Sharer); w.sharer != nil {
			if name, err := w.sharer.Export(mem); err == nil && len(name) <= len(d.name) {
				d.named = uint64(copy(d.name[:], name))
			}
		}
	}
	d.bytes, d.refused = uint64(len(w.mem)), 0
	return []description{d}, nil
}

// reach stores what the ranks have told, and maps the parts that can be mapped.
func (w *window) reach(all []description) error {
	c := w.c
	for rank, d := range all {
		if d.refused != 0 {
			return &device.PeerError{Rank: c.world[rank], State: "cannot take part", Cause: "it has no memory for a window"}
		}
		if d.elem != uint64(w.elem) {
			return &ArgumentError{"window", "the size of an element on another rank", int(d.elem), fmt.Sprintf("%d, as on this rank", w.elem)}
		}
		w.ranks[rank].bytes = int(d.bytes)
		if d.named == 0 || w.sharer == nil || rank == c.rank {
			continue
		}
		mem, err := w.sharer.Import(c.world[rank], d.name[:d.named])
		if err == nil && len(mem) == controlBytes+int(d.bytes) {
			w.ranks[rank].control, w.ranks[rank].mem = (*control)(unsafe.Pointer(&mem[0])), mem[controlBytes:]
		}
	}
	w.ranks[c.rank].mem, w.ranks[c.rank].control = w.mem, w.own
	return nil
}

func bytesOf(list []description) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// fence flushes all ranks and waits for all of them to do so.
func (w *window) fence() error {
	err := w.flush(0, len(w.ranks))
	if err == nil {
		err = Barrier(w.c)
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	return w.fail(err)
}

// close ends the window after a fence, which is the end of all messages. No rank leaves before all
// have ended their receives, which would fail. After an error other ranks may still use the memory,
// and closing the device frees it.
func (w *window) close() error {
	if w.err == device.ErrClosed {
		return w.err
	}
	err := w.fence()
	e, dev := w.c.engine, w.c.dev
	e.End(w)
	if err == nil {
		e.Lock()
		for _, q := range append(w.losses, w.inbox) {
			if err = cmp.Or(err, dev.Cancel(q)); err == nil {
				_, err = dev.Wait(q)
			}
		}
		e.Unlock()
		err = cmp.Or(err, Barrier(w.c))
	}
	e.Lock()
	defer e.Unlock()
	if w.allocated != nil && err == nil {
		err = dev.Free(w.allocated)
	}
	if b, ok := dev.(device.Binder); ok {
		b.Unbind(w.context)
		b.Unbind(w.context + 1)
	}
	w.err, w.failed = device.ErrClosed, device.ErrClosed
	return err
}

// fail records the first error of the window. The engine is locked.
func (w *window) fail(err error) error {
	w.failed = cmp.Or(w.failed, err)
	w.stopped()
	return w.err
}

// stopped reports whether the window has failed. The engine is locked.
func (w *window) stopped() bool {
	w.err = w.failed
	return w.err != nil
}

// at checks an access to the part of target.
func (w *window) at(op string, target, offset, bytes int) (*part, error) {
	if w.err != nil || uint(target) >= uint(len(w.ranks)) {
		return nil, w.checkRanks(op, []int{target})
	}
	p := &w.ranks[target]
	if offset < 0 || offset > p.bytes || bytes > p.bytes-offset {
		return nil, &ArgumentError{op, "the offset", offset / w.elem, fmt.Sprintf("one with room for %d of the %d elements of rank %d", bytes/w.elem, p.bytes/w.elem, target)}
	}
	return p, nil
}

// longCopy is the number of bytes from which the device's routine copies to and from other ranks.
const longCopy = 4 << 10

func (w *window) put(data []byte, target, offset int) error {
	p, err := w.at("put", target, offset, len(data))
	switch {
	case err != nil:
		return err
	case p.mem != nil && w.sharer != nil && len(data) >= longCopy && target != w.c.rank:
		w.sharer.Post(p.mem[offset:offset+len(data)], data)
		return nil
	case p.mem != nil:
		copy(p.mem[offset:], data)
		return nil
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	if len(data) <= longestPut {
		return w.request(kindPut, target, offset, data)
	}
	if err := w.sized(kindLongPut, target, offset, len(data)); err != nil {
		return err
	}
	return w.fail(w.start(&w.sends, data, false, target, tagData))
}

func (w *window) get(data []byte, target, offset int) error {
	p, err := w.at("get", target, offset, len(data))
	switch {
	case err != nil:
		return err
	case p.mem != nil && w.sharer != nil && len(data) >= longCopy && target != w.c.rank:
		w.sharer.Fetch(data, p.mem[offset:offset+len(data)])
		return nil
	case p.mem != nil:
		copy(data, p.mem[offset:])
		return nil
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	if err := w.expect(data, target); err != nil {
		return err
	}
	return w.sized(kindGet, target, offset, len(data))
}

// accumulate combines data in pieces of a request. result is nil, or as long.
func (w *window) accumulate(kind int32, data, result []byte, o *op.Op, target, offset int) error {
	operators := w.operators()
	number := slices.Index(operators[:], o)
	if o == nil || number < 0 {
		return ErrOperator
	}
	p, err := w.at("accumulate", target, offset, len(data))
	for at := 0; at < len(data) && err == nil; at += longestPut {
		end := min(at+longestPut, len(data))
		var old []byte
		if result != nil {
			old = result[at:end]
		}
		err = w.apply(p, kind|int32(number)<<kindBits, data[at:end], old, o, target, offset+at)
	}
	return err
}

func (w *window) swap(pair, result []byte, target, offset int) error {
	p, err := w.at("compare_and_swap", target, offset, w.elem)
	if err == nil {
		err = w.apply(p, kindSwap, pair, result, w.operators()[0], target, offset)
	}
	return err
}

// apply combines or swaps directly or by a request, and stores what was there before in old, unless
// that is nil.
func (w *window) apply(p *part, tag int32, data, old []byte, o *op.Op, target, offset int) error {
	if kind := tag & (1<<kindBits - 1); p.control != nil {
		w.asked = p.control
		if !p.control.seize() {
			if w.c.engine.Until(w.until.seized); w.err != nil {
				return w.err
			}
		}
		n := len(data)
		if kind == kindSwap {
			n = w.elem
		}
		apply(kind, p.mem[offset:offset+n], data, old, o)
		p.control.leave()
		return nil
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	if old != nil {
		if err := w.expect(old, target); err != nil {
			return err
		}
	}
	return w.request(tag, target, offset, data)
}

// expect posts the receive of a result.
func (w *window) expect(result []byte, target int) error {
	q, err := w.c.dev.Irecv(result, w.c.world[target], tagResult, w.context+1)
	if err == nil {
		w.results.push(flight{request: q})
	}
	return w.fail(err)
}

// request sends a message with an offset and data. The engine is locked.
func (w *window) request(tag int32, target, offset int, data []byte) error {
	body := w.pool.take(wordBytes + len(data))
	binary.LittleEndian.PutUint64(body, uint64(offset))
	copy(body[wordBytes:], data)
	w.ranks[target].dirty = true
	return w.fail(w.send(&w.sends, tag, target, body))
}

// sized is request with a length instead of data.
func (w *window) sized(tag int32, target, offset, length int) error {
	var n [wordBytes]byte
	binary.LittleEndian.PutUint64(n[:], uint64(length))
	return w.request(tag, target, offset, n[:])
}

// tell sends a message without an offset to ranks.
func (w *window) tell(kind int32, ranks []int) error {
	if err := w.checkRanks("post", ranks); err != nil {
		return err
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	for _, r := range ranks {
		w.fail(w.send(&w.sends, kind, r, nil))
	}
	return w.err
}

// ask sends a message that the target answers.
func (w *window) ask(kind int32, target int) {
	w.c.engine.Lock()
	w.awaited++
	w.fail(w.send(&w.sends, kind, target, nil))
	w.c.engine.Unlock()
}

// settle waits for all answers, results and sends.
func (w *window) settle() error {
	w.c.engine.Until(w.until.settled)
	return w.err
}

func (w *window) settled() bool {
	return w.stopped() || w.awaited == 0 && w.sends.empty() && w.results.empty()
}

// posted takes the posts of all started targets, once they are there.
func (w *window) posted() bool {
	if w.stopped() {
		return true
	}
	if slices.ContainsFunc(w.started, func(t int) bool { return w.ranks[t].posts == 0 }) {
		return false
	}
	for _, t := range w.started {
		w.ranks[t].posts--
	}
	return true
}

// completed is posted for the completes of exposed origins.
func (w *window) completed() bool {
	if w.stopped() {
		return true
	}
	if slices.ContainsFunc(w.exposed, func(o int) bool { return w.ranks[o].completes == 0 }) {
		return false
	}
	for _, o := range w.exposed {
		w.ranks[o].completes--
	}
	return true
}

// flush completes the operations on the ranks from first to before end.
func (w *window) flush(first, end int) error {
	for t := first; t < end && w.err == nil; t++ {
		if p := &w.ranks[t]; p.dirty {
			p.dirty = false
			w.ask(kindFlush, t)
		}
	}
	return w.settle()
}

// lock locks the ranks from first to before end.
func (w *window) lock(shared bool, first, end int) error {
	kind := kindLock
	if shared {
		kind = kindLockShared
	}
	for t := first; t < end && w.err == nil; t++ {
		p := &w.ranks[t]
		if p.shared = shared; p.control == nil {
			w.ask(kind, t)
			continue
		}
		w.asked, w.ticket, w.sharing = p.control, p.control.draw(), shared
		w.c.engine.Until(w.until.admitted)
	}
	return w.settle()
}

// unlock completes the operations on the ranks from first to before end and frees their locks.
func (w *window) unlock(first, end int) error {
	for t := first; t < end && w.err == nil; t++ {
		p := &w.ranks[t]
		switch {
		case p.control != nil:
			p.control.release(p.shared)
		case p.shared:
			p.dirty = false
			w.ask(kindUnlockShared, t)
		default:
			p.dirty = false
			w.ask(kindUnlock, t)
		}
	}
	return w.settle()
}
