package tcp

import "gobench/device/protocol"

// Peek implements protocol.Peeker. Between two reads a Poll passes through some ten functions,
// which takes longer than their instructions where a system call empties the caches
// (docs/notes/tcp.md).
func (w *wire) Peek(from, turns int) (h protocol.Header, data []byte, ok bool) {
	p := w.peers[from]
	if !w.peeks || p == nil || p.closed || p.left || w.busy() {
		return h, nil, false
	}
	if w.later != nil {
		w.hint = from
	}
	in := &p.in.in
	if len(in.fill) > 0 || in.long.kind != 0 || in.failed != nil {
		return h, nil, false
	}
	for ; ; turns-- {
		if in.w-in.r >= frameSize {
			f, body, whole, err := in.next()
			if err != nil || whole > 0 && f.kind != framePacket {
				return h, nil, false
			}
			if whole > 0 {
				in.peeked = whole
				return f.header, in.buf[body:whole], true
			}
		}
		if turns <= 0 {
			return h, nil, false
		}
		w.turn++
		n, err := p.in.link.read(in.target(&w.regions))
		in.w += n
		if n > 0 || err != nil {
			w.hold(p)
		}
		if in.failed = err; err != nil {
			return h, nil, false
		}
	}
}

// Pop implements protocol.Peeker.
func (w *wire) Pop(from int) {
	p := w.peers[from]
	in := &p.in.in
	in.take(in.peeked)
	in.makeRoom(frameSize)
}

// Serve implements protocol.Peeker.
func (w *wire) Serve(from int, sink protocol.Sink) bool {
	did := w.work(sink, from)
	did = w.sweep(sink, from) || did
	return w.settle(sink) || did
}

// busy reports whether Poll has something to do but to read.
func (w *wire) busy() bool {
	return len(w.dirty)+len(w.landing)+len(w.severed)+len(w.torn)+w.ended.Len() > 0
}

// hold leaves what Peek has read to the next Poll, as far as it is not popped before.
func (w *wire) hold(p *peer) {
	if !p.held {
		p.held = true
		w.held = append(w.held, p)
	}
}

// release delivers what Peek has left, of all peers but one, and reports whether there was
// anything.
func (w *wire) release(sink protocol.Sink, but int) (did bool) {
	kept := w.held[:0]
	for _, p := range w.held {
		in := &p.in.in
		if p.rank == but && in.failed == nil {
			kept = append(kept, p)
			continue
		}
		p.held = false
		if !p.closed && !p.left && in.long.kind == 0 && (in.r != in.w || in.failed != nil) {
			w.accept(p, 0, nil, sink)
			did = true
		}
	}
	w.held = kept
	return did
}
