package smem

import "sync/atomic"

// Leave implements protocol.Leaver. Where ranks may sleep, the rank writes one goodbye to its
// header, where Idle of all others finds it, and the last rank of a group wakes them. Packets in
// the ring of every other rank would take a page of memory and one of the page table each, 8 GiB
// for 1,024 ranks.
func (w *wire) Leave(word uint64, pushed bool) (strangers []int, said bool) {
	if !w.bells || !pushed {
		return nil, false
	}
	w.own.leave(word)
	if atomic.AddUint64(w.goodbyesSent(), 1) == uint64(len(w.group)) {
		for _, rank := range w.others {
			w.peers[rank].wake()
		}
	}
	return nil, true
}

// The goodbyes of a group, where ranks may sleep. Each rank stores its own in its header and then
// adds to one counter, in the header of the lowest rank. Who brings it to the size of the group
// wakes all others; before, a rank that has said goodbye sleeps, because nothing else can end its
// Close. A rank that dies never adds: the others find its death by Idle, for which they wake up
// every 100 ms. Invariant: the counter is at most the number of goodbyes stored, so who reads the
// full count finds all of them (bellModel checks it).

// goodbyesSent returns the counter of the goodbyes that the ranks of the group have sent.
func (w *wire) goodbyesSent() *uint64 {
	if w.group[0] == w.rank {
		return w.own.word(wordGoodbyes)
	}
	return w.peers[w.group[0]].segment.word(wordGoodbyes)
}

// allSaidGoodbye reports whether all ranks of the group have sent a goodbye.
func (w *wire) allSaidGoodbye() bool {
	return w.bells && atomic.LoadUint64(w.goodbyesSent()) == uint64(len(w.group))
}

// goodbyeOf returns the goodbye of a peer once.
func (w *wire) goodbyeOf(rank int) (goodbye uint64, ok bool) {
	p := &w.peers[rank]
	if p.left || !w.bells {
		return 0, false
	}
	return p.segment.goodbye()
}

// Close implements protocol.Wire.
func (w *wire) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.own.close()
	return w.free()
}
