package smem

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// wire is the shared-memory protocol.Wire of one rank.
type wire struct {
	peers  []peer // indexed by rank; the own entry, and those of other groups, never receive
	others []int  // the ranks of living peers, polled in turn
	turn   int    // index into others
	bells  bool   // ranks may sleep, and must be woken
	jobs   jobs   // transfers under way and failures to report

	rank     int
	group    []int // the ranks of this host that are connected, this one too
	layout   layout
	own      segment
	nonce    uint64
	limits   protocol.Limits
	tunings  [distances]tuning
	unknown  []string          // choices of the profile that are not in force, and why
	copiers  [distances]copier // of ways; nil: Go's copy
	fetchers [distances]copier // of ways; nil: Go's copy
	posts    copier            // of Post; nil: Go's copy
	fetches  copier            // of Fetch; nil: Go's copy
	gap      int               // of Gap, bytes
	reach    reach             // how ordinary memory of a peer is reached
	refusal  string            // why ordinary memory cannot be reached, "" if it can
	fenced   string            // why ranks of the group cannot open descriptors of others, "" if they can
	regions  regions           // memory given out by Alloc
	allocs   uint64            // how many regions there were so far
	watch    watch
	pipe     pipe  // on which arm has this rank wait
	severed  []int // peers that the protocol has given up; acted on in Poll
	polls    int
	lacking  bool // with bells: a Push found no room since the last sleep
	fence    uint32
	timeout  unix.Timespec // of block, in memory that does not move
	idled    time.Time     // the last Idle
	checked  int           // index into others: whom Idle looks at next
	batch    []int         // whom Idle looks at now
	file     []byte        // the segments of the group, nil if ranks share their memory
	fd       int           // of file at the lowest rank of the group, -1 once all have it mapped
	path     string        // of file there, while it has a name
	meeting  *hub          // while opening
	closed   bool

	interrupt atomic.Pointer[error] // why waits for a peer must end, from another goroutine; nil: none must
}

// peer is the state of another rank.
type peer struct {
	channel
	// holding counts the puts to this peer under way, which packets must not overtake. It stays
	// above 0 for a dead peer.
	holding int
	dead    bool
	left    bool // its goodbye was delivered
	far     bool
	fetch   copier     // copies what this peer has written; nil: Go's copy
	index   int        // in the group, which is its number in the layout; -1: in none
	recent  [4]float64 // core latencies measured last, seconds; 0 = none

	segment  segment
	endpoint endpoint
	bell     int      // the end of its pipe to which this rank writes, or -1
	mapped   mappings // its regions
}

const (
	burst = 16 // packets taken from one peer before others are looked at
	sweep = 8  // peers looked at in one Poll for any source
)

// Push implements protocol.Wire.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	p := &w.peers[to]
	if p.holding != 0 {
		return p.dead
	}
	pushed := p.push(h, data)
	if w.bells {
		w.notify(p, pushed)
	}
	return pushed
}

// Poll implements protocol.Wire.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	if from < 0 {
		return w.Serve(from, sink)
	}
	did := w.pending(sink)
	if s, word, ok := w.peers[from].look(); ok {
		// Only one packet, because it may be the awaited one. The other peers are polled from time
		// to time, however many packets this peer sends.
		w.deliver(from, s, word, 1, sink)
		if w.polls++; w.polls&0x1f == 0 && len(w.others) > 1 {
			w.look(from, 1, sink)
		}
		return true
	}
	if w.checkEmpty(from, sink) {
		return true
	}
	// With bells also the mark of the only peer is cleared: with it a rank would not sleep.
	if w.bells || len(w.others) > 1 {
		return w.look(-1, 1, sink) || did
	}
	return did
}

// look delivers packets of the next count peers, with bells of all peers that have sent any, except
// those of one peer. It reports whether there were any.
func (w *wire) look(except, count int, sink protocol.Sink) (did bool) {
	if w.bells {
		return w.marked(except, sink)
	}
	for range min(count, len(w.others)) {
		if rank := w.next(); rank != except && w.drain(rank, sink) {
			did = true
		}
	}
	return did
}

// Serve implements protocol.Peeker.
func (w *wire) Serve(from int, sink protocol.Sink) bool {
	did := w.pending(sink)
	return w.look(from, sweep, sink) || did
}

// pending progresses transfers and abandoned peers, and reports whether there were any.
func (w *wire) pending(sink protocol.Sink) bool {
	if len(w.severed) > 0 {
		w.sever(sink)
	}
	return w.jobs.pending() && w.advance(sink)
}

// Peek implements protocol.Peeker. Corrupt packets are left for Poll to report.
func (w *wire) Peek(from, turns int) (h protocol.Header, data []byte, ok bool) {
	c := &w.peers[from].channel
	s, word, ok := c.peek(turns)
	if !ok {
		return h, nil, false
	}
	return c.packet(s, word)
}

// copyFrom is protocol.Limits.CopyFrom.
func (w *wire) copyFrom(peer int, dst, src []byte) { w.peers[peer].fetch.copy(dst, src) }

// Pop implements protocol.Peeker.
func (w *wire) Pop(from int) { w.peers[from].pass() }

// next returns the next peer in turn.
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
	if s, word, ok := w.peers[from].look(); ok {
		return w.deliver(from, s, word, burst, sink)
	}
	return w.checkEmpty(from, sink)
}

// checkEmpty verifies that slots without a packet are empty. It fails the peer and reports true if
// one is corrupt.
func (w *wire) checkEmpty(from int, sink protocol.Sink) bool {
	word, due, garbage := w.peers[from].garbage()
	if garbage {
		w.lose(sink, from, fmt.Sprintf("its ring holds garbage (word %#x where %#x is due)", word, due))
	}
	return garbage
}

// deliver delivers at most most packets of one peer, starting with the one that look has returned.
func (w *wire) deliver(from int, s *slot, word uint64, limit int, sink protocol.Sink) bool {
	c := &w.peers[from].channel
	for ok := true; ok && limit > 0; limit-- {
		h, data, valid := c.packet(s, word)
		if !valid {
			w.lose(sink, from, fmt.Sprintf("its ring holds garbage (a packet of %d bytes, the most is %d)", word>>32, c.in.packet))
			break
		}
		sink.Packet(from, h, data)
		c.pass()
		s, word, ok = c.look()
	}
	return true
}

// One Idle examines some of the peers, and all are examined within idleRound. Examining all of them
// each time would let hundreds of waiting ranks use the processors of those that work.
const (
	idleMin   = 32 // peers examined by one Idle
	idleRound = time.Second
)

// Idle implements protocol.Wire.
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

// lost returns the cause if nothing more can come from a peer, or "" if it is alive.
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
