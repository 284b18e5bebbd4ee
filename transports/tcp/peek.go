package tcp

import "gobench/device/protocol"

var _ protocol.Peeker = (*wire)(nil)

// peekLooks bounds the reads of one Peek, each of which is a system call: other peers are read
// after others of them.
const peekLooks = others

// Peek implements protocol.Peeker. Between two reads a Poll passes through some ten functions,
// which takes longer than their instructions where a system call empties the caches
// (docs/notes/tcp.md).
func (w *wire) Peek(from, turns int) (h protocol.Header, data []byte, ok bool) {
	p := w.peers[from]
	if !w.peeks || p == nil || p.closed || p.left || w.busy() {
		return h, nil, false
	}
	in := &p.in.in
	if len(in.fill) > 0 || in.long.kind != 0 || in.failed != nil {
		return h, nil, false
	}
	for looks := min(turns, peekLooks); ; looks-- {
		if in.w-in.r >= frameSize {
			f, body, whole, err := in.next()
			if err != nil || whole > 0 && f.kind != framePacket {
				w.hold(p)
				return h, nil, false
			}
			if whole > 0 {
				in.peeked, in.last = whole, in.last && f.size == 0
				return f.header, in.buf[body:whole], true
			}
		}
		if looks <= 0 {
			return h, nil, false
		}
		w.turn++
		n, err := p.in.link.read(in.target(&w.regions))
		in.w += n
		if err != nil {
			in.failed = err
			w.hold(p)
			return h, nil, false
		}
	}
}

// Pop implements protocol.Peeker.
func (w *wire) Pop(from int) {
	p := w.peers[from]
	in := &p.in.in
	in.r, in.peeked = in.peeked, 0
	in.makeRoom(frameSize)
	if in.r != in.w {
		w.hold(p)
	}
}

// Serve implements protocol.Peeker.
func (w *wire) Serve(from int, sink protocol.Sink) bool {
	did := w.work(sink)
	if len(w.live) > 1 {
		did = w.sweep(sink) || did
	}
	return w.settle(sink) || did
}

// busy reports whether Poll has something to do but to read.
func (w *wire) busy() bool {
	return len(w.dirty)+len(w.landing)+len(w.severed)+len(w.torn)+w.ended.Len() > 0
}

// hold leaves what Peek has read, and not returned, to the next Poll.
func (w *wire) hold(p *peer) {
	if !p.held {
		p.held = true
		w.held = append(w.held, p)
	}
}

// release delivers what Peek has left.
func (w *wire) release(sink protocol.Sink) {
	for _, p := range w.held {
		p.held = false
		if !p.closed && !p.left {
			w.accept(p, 0, nil, sink)
		}
	}
	w.held = w.held[:0]
}
