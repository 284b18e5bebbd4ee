package comm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"gobench/comm/op"
)

// fail records the first error of the window and reports it to the others. The engine is locked.
func (w *window) fail(err error) error {
	if w.failed == nil && err != nil {
		w.failed = err
		w.spread()
	}
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
	if w.region != nil {
		if done, err := w.access(w.region.Put, p, data, target, offset); done {
			return err
		}
	}
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
	if w.region != nil {
		if done, err := w.access(w.region.Get, p, data, target, offset); done {
			return err
		}
	}
	if err := w.expect(data, target); err != nil {
		return err
	}
	return w.sized(kindGet, target, offset, len(data))
}

// access calls a function of the region. It returns false if the network cannot access data, and
// messages have to move it. The engine is locked.
func (w *window) access(f func([]byte, int, int) error, p *part, data []byte, target, offset int) (done bool, err error) {
	p.held = append(p.held, data)
	if err = f(data, target, offset); errors.Is(err, errors.ErrUnsupported) {
		p.held = p.held[:len(p.held)-1]
		return false, nil
	}
	return true, w.fail(err)
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

// land completes the operations of the region on target.
func (w *window) land(target int) {
	p := &w.ranks[target]
	if len(p.held) == 0 || w.err != nil {
		return
	}
	w.c.engine.Lock()
	defer w.c.engine.Unlock()
	if w.fail(w.region.Flush(target)) != nil {
		return // the network may still use the data
	}
	clear(p.held)
	p.held = p.held[:0]
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
	q, err := w.c.dev.Irecv(result, w.world[target], tagResult, w.context+1)
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
		w.land(t)
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
		w.land(t)
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
