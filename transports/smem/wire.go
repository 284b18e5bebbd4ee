package smem

import (
	"fmt"

	"gobench/device/protocol"
)

// wire is the shared-memory protocol.Wire of one rank.
type wire struct {
	peers  []peer // by rank; the entry of the rank itself is deaf
	others []int  // the ranks of living peers, polled in turn
	turn   int    // index into others
	jobs   jobs   // transfers under way and failures to report

	rank    int
	layout  layout
	own     segment
	nonce   uint64
	limits  protocol.Limits
	reach   reach   // how ordinary memory of a peer is reached
	refusal string  // why ordinary memory cannot be reached, "" if it can
	regions regions // memory given out by Alloc
	allocs  uint64  // how many regions there were so far
	watch   watch
	fd      int // of own, -1 in one address space
	closed  bool
}

// peer is what a rank holds of another one.
type peer struct {
	in  consumer
	out producer
	// holding counts puts to this peer under way: packets must not overtake
	// them.
	holding int
	dead    bool

	segment segment
	card    card
	mapped  mappings // its regions
}

const (
	burst = 16 // packets taken from one peer before others are looked at
	sweep = 8  // peers looked at in one Poll for any source
)

// Push implements protocol.Wire.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	p := &w.peers[to]
	if p.holding|b2i(p.dead) != 0 {
		return p.dead
	}
	return p.out.push(h, data)
}

// Poll implements protocol.Wire.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	did := false
	if w.jobs.pending() {
		did = w.advance(sink)
	}
	if from >= 0 {
		if w.drain(from, sink) {
			return true
		}
		if len(w.others) > 1 {
			return w.drain(w.next(), sink) || did
		}
		return did
	}
	for range min(sweep, len(w.others)) {
		if w.drain(w.next(), sink) {
			did = true
		}
	}
	return did
}

// next is the peer whose turn it is.
func (w *wire) next() int {
	if w.turn >= len(w.others) {
		w.turn = 0
	}
	rank := w.others[w.turn]
	w.turn++
	return rank
}

// drain delivers packets of one peer and reports whether there was one.
func (w *wire) drain(from int, sink protocol.Sink) bool {
	in := &w.peers[from].in
	word, ok := in.look()
	if !ok {
		if !in.sane(word) {
			w.lose(sink, from, fmt.Sprintf("its ring holds garbage (word %#x where lap %d is due)", word, in.lap()))
		}
		return false
	}
	for range burst {
		h, data, ok := in.take(word)
		if !ok {
			w.lose(sink, from, fmt.Sprintf("its ring holds garbage (a packet of %d bytes, the most is %d)", word>>32, in.packet))
			return true
		}
		sink.Packet(from, h, data)
		in.release()
		if word, ok = in.look(); !ok {
			break
		}
	}
	return true
}

// Idle implements protocol.Wire.
func (w *wire) Idle(sink protocol.Sink) {
	w.watch.look()
	for i := len(w.others) - 1; i >= 0; i-- {
		rank := w.others[i]
		if cause := w.lost(rank); cause != "" {
			// First what it has sent before.
			for w.drain(rank, sink) {
			}
			w.lose(sink, rank, cause)
		}
	}
}

// lost says why nothing more will come from a peer, or "" if it lives.
func (w *wire) lost(rank int) string {
	p := &w.peers[rank]
	if p.segment.closed() {
		return "it has closed its device"
	}
	if w.watch.ended(rank) {
		return fmt.Sprintf("process %d has ended", p.card.PID)
	}
	return ""
}

// lose cuts a peer off and reports it, once.
func (w *wire) lose(sink protocol.Sink, rank int, cause string) {
	p := &w.peers[rank]
	if p.dead {
		return
	}
	p.dead = true
	p.in = newDeaf()
	for i, other := range w.others {
		if other == rank {
			w.others = append(w.others[:i], w.others[i+1:]...)
			break
		}
	}
	w.watch.forget(rank)
	sink.Failed(rank, cause)
}

// Limits implements protocol.Wire.
func (w *wire) Limits() protocol.Limits { return w.limits }

// Close implements protocol.Wire.
func (w *wire) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.own.close()
	return w.free()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
