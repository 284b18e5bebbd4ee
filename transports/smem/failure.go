package smem

import (
	"fmt"
	"sync/atomic"
	"time"

	"gobench/device/protocol"
)

// One Idle examines some of the peers, and all are examined within idleRound. Examining all of them
// each time would let hundreds of waiting ranks use the processors of those that work.
const (
	idleMin   = 32 // peers examined by one Idle
	idleRound = time.Second
)

// Idle implements protocol.Wire. It looks at the processes of a batch of peers by one system call,
// and at the goodbyes and marks in their headers. A peer that is found to be lost has its ring
// drained first, for at most as many packets as the ring has slots: what a dead process has pushed
// is complete, and nothing follows. A goodbye is delivered only behind all packets that were marked
// before it.
func (w *wire) Idle(sink protocol.Sink) {
	if len(w.severed) > 0 {
		w.sever(sink)
	}
	now := time.Now()
	part := float64(now.Sub(w.idled)) / float64(idleRound)
	w.idled = now
	count := min(len(w.others), max(idleMin, int(part*float64(len(w.others)))+1))
	if part > 1 || w.allSaidGoodbye() {
		count = len(w.others)
	}
	w.batch = w.batch[:0]
	for range count {
		w.checked %= len(w.others)
		w.batch = append(w.batch, w.others[w.checked])
		w.checked++
	}
	if !w.allSaidGoodbye() {
		w.watch.look(w.batch...)
	}
	for _, rank := range w.batch {
		goodbye, left := w.goodbyeOf(rank)
		cause := w.lost(rank)
		if !left && cause == "" {
			continue
		}
		// Earlier packets of the peer are delivered first. Those before a goodbye are marked.
		if p := &w.peers[rank]; !left && !p.left || w.own.marked(p.index) {
			for i := 0; i <= w.layout.slots && w.drain(rank, sink); i++ {
			}
		}
		if left {
			w.peers[rank].left = true
			sink.Goodbye(rank, goodbye)
		}
		if cause != "" {
			w.lose(sink, rank, cause)
		}
	}
}

// lost looks for the four signs of an end that shared memory shows, the process being the fifth. It
// returns the cause if nothing more can come from a peer, or "" if it is alive.
func (w *wire) lost(rank int) string {
	p := &w.peers[rank]
	if p.segment.closed() {
		return "it has closed its device"
	}
	if p.segment.cuts() && atomic.LoadUint64(&p.out.heads.cut) != 0 {
		return "it has given this rank up"
	}
	if p.out.broken {
		return "it has returned more room of its ring than it had"
	}
	if w.watch.ended(rank) {
		return fmt.Sprintf("process %d has ended", p.endpoint.PID)
	}
	return ""
}

// Sever implements protocol.Severer.
func (w *wire) Sever(peer int) {
	if !w.peers[peer].dead {
		w.severed = append(w.severed, peer)
	}
}

// sever ends what is under way with the peers that were abandoned, and notifies them.
func (w *wire) sever(sink protocol.Sink) {
	for _, rank := range w.severed {
		p := &w.peers[rank]
		if p.dead {
			continue
		}
		atomic.StoreUint64(&p.in.heads.cut, 1)
		atomic.AddUint64(w.own.word(wordCuts), 1)
		kept := w.jobs[:0]
		for _, t := range w.jobs {
			if t.peer != rank {
				kept = append(kept, t)
			}
		}
		clear(w.jobs[len(kept):])
		w.jobs = kept
		w.lose(sink, rank, "it was given up")
	}
	w.severed = w.severed[:0]
}

// lose cuts a peer off and reports it, once.
func (w *wire) lose(sink protocol.Sink, rank int, cause string) {
	p := &w.peers[rank]
	if p.dead {
		return
	}
	p.dead = true
	p.holding++
	out := p.out // in which the causes of a loss are looked for
	p.channel = newEmptyChannel()
	p.out = out
	for i, other := range w.others {
		if other == rank {
			w.others = append(w.others[:i], w.others[i+1:]...)
			if i < w.checked {
				w.checked--
			}
			break
		}
	}
	w.watch.forget(rank)
	sink.Failed(rank, cause)
}
