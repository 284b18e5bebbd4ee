package smem

import (
	"math/bits"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// Values of the bell, a word in the header of a rank's segment: whether the rank sleeps, or is
// about to, and what wakes it. A peer that pushes a packet and swaps a nonzero value for 0 wakes
// the rank. A bell costs the sender about 20 ns per packet, so ranks have them only if one of them
// may sleep.
//
// Each side stores for the other and then loads what the other stores, so all of these accesses are
// sequentially consistent, and bellModel checks the wire without each of them
// (docs/notes/weak-memory.md):
//
//	peer     stores the packet's word, loads its mark and sets it if it is not set, loads the bell
//	owner    stores the bell, loads the marks, sleeps if there is none
//	owner    swaps the marks for 0, loads the words of the rings
//	peer     of the last goodbye: adds it to the count, loads the bell
//
//	invariant    a packet whose push has returned is marked, or the owner has read its ring since;
//	             a rank that sleeps with a packet marked, or all goodbyes said, has a peer that will
//	             wake it; the pipe holds no more bytes than peers have reset bells, which due counts.
const (
	bellFutex = 1 // it waits on the word itself
	bellPipe  = 2 // it waits for its pipe, and for the descriptors of other wires
)

// shortDoze is the longest sleep of block if no packet ends it.
const shortDoze = time.Millisecond

// block is protocol.Sleep.Block, by a futex. If this rank waits for room in a ring or has
// unfinished transfers, it sleeps only briefly.
func (w *wire) block(d time.Duration) {
	if !w.bells || w.lacking || len(w.severed) > 0 || w.jobs.pending() {
		w.lacking = false
		t := unix.NsecToTimespec(int64(min(d, shortDoze)))
		unix.Nanosleep(&t, nil) // a signal may end it early
		return
	}
	own := w.own.bell()
	own.Announce(bellFutex)
	defer own.Withdraw()
	if w.waiting() {
		return
	}
	own.Wait(bellFutex, d, &w.timeout)
}

// A mark may be set although the packet was taken already, by a Poll of its peer alone: then one
// sleep is skipped and the next Poll clears the mark. The other mistake, a packet without a mark,
// cannot happen, because notify follows each push.
//
// waiting reports whether there is a packet for Poll, or the last goodbye for Idle. Packets that
// arrived before the bell was set do not ring it.
func (w *wire) waiting() bool {
	marks := w.own.marks()
	for i := range marks {
		if atomic.LoadUint64(&marks[i]) != 0 {
			return true
		}
	}
	return w.allSaidGoodbye()
}

// marked delivers packets of the peers that have marked them, except one, and reports whether there
// was one. Without marks, each of hundreds of ranks would poll the rings of all others, and touch
// as many pages.
func (w *wire) marked(except int, sink protocol.Sink) (did bool) {
	marks := w.own.marks()
	for i := range marks {
		if atomic.LoadUint64(&marks[i]) == 0 {
			continue
		}
		// The mark is cleared before the ring is read: a later push sets it again.
		for set := atomic.SwapUint64(&marks[i], 0); set != 0; set &= set - 1 {
			index := i*64 + bits.TrailingZeros64(set)
			if index >= len(w.group) {
				continue // a peer has written garbage
			}
			rank := w.group[index]
			if rank == except {
				w.own.mark(index)
				continue
			}
			if w.drain(rank, sink) {
				did = true
				if _, _, more := w.peers[rank].look(); more {
					w.own.mark(index)
				}
			}
		}
	}
	return did
}

// A push without room leaves no mark anywhere: the consumer does not wake who waits for room. So
// such a rank sleeps for shortDoze only (lacking).
//
// notify marks a packet that was pushed to a peer, and wakes it if it sleeps.
func (w *wire) notify(p *peer, pushed bool) {
	if !pushed {
		w.lacking = true
		return
	}
	// On amd64 this is a full barrier, because release.Store of the packet's word is a plain store:
	// without it the packet could become visible after mark and bell were read. On other processors
	// that store is an atomic one, which is ordered before them itself.
	atomic.AddUint32(&w.fence, 0)
	p.segment.mark(w.peers[w.rank].index)
	p.wake()
}

// wake wakes a peer if it sleeps.
func (p *peer) wake() {
	there := p.segment.bell()
	switch there.Claim() {
	case bellFutex:
		there.Wake()
	case bellPipe:
		p.ring()
	}
}
