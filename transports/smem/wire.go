package smem

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"gobench/device/protocol"
)

// A wire is the shared-memory protocol.Wire of one rank. Its goroutine alone uses it, but for
// interrupt. What ranks share is in segments, regions and latency lines, each with its own rules.
//
// One Poll does this, in order, and stops early only where it says so:
//
//	sever      ends what is under way with peers that the protocol has given up
//	advance    moves one chunk of the oldest transfer
//	from       takes one packet of the awaited peer, and returns if there was one, except that one
//	           Poll in 32 looks at another peer, too
//	look       without bells: takes up to burst packets of the next peers in turn
//	           with bells: of the peers whose marks are set
//
// Invariants: others holds the ranks that are not dead, each once; a dead peer has an empty channel
// and holding above 0, so that Push drops and Poll finds nothing; severed peers are dead after the
// next Poll or Idle; with bells a mark is cleared only before its ring is read.
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
	timeout  syscall.Timespec // of block, in memory that does not move
	idled    time.Time        // the last Idle
	checked  int              // index into others: whom Idle looks at next
	batch    []int            // whom Idle looks at now
	file     []byte           // the segments of the group, nil if ranks share their memory
	fd       int              // of file at the lowest rank of the group, -1 once all have it mapped
	path     string           // of file there, while it has a name
	meeting  *hub             // while opening
	closed   bool

	interrupt atomic.Pointer[error] // why waits for a peer must end, from another goroutine; nil: none must
}

// A peer is the state of another rank. It is alive, left or dead:
//
//	alive  packets go both ways
//	left   its goodbye of segment.leave was delivered, with bells only. Packets that it pushed before
//	       were delivered first, and those after it still are.
//	dead   lost: it was reported to the sink, its channel is empty, its process is not watched
//
// A peer dies by its own mark that it has closed or given this rank up, by the end of its process,
// by garbage in its ring or slot, by impossible positions of its consumer, or because the protocol
// severs it. Where its end can be known before its last packets were read (lost), these are
// delivered first; what it has written to shared memory stays readable after its process has ended.
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

// Both bound the time for which one peer keeps the others waiting.
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

// Limits implements protocol.Wire.
func (w *wire) Limits() protocol.Limits { return w.limits }
