//go:build verbs && cgo

package verbs

import (
	"slices"
	"time"

	"gobench/device/protocol"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// wire is the protocol.Wire over verbs. It belongs to one goroutine. Its parts are the queue pairs,
// the connector, the registered memory, the transfers and the benchmark loops.
type wire struct {
	queues
	connector
	memory
	transfers
	loops

	idled time.Time // of the last Idle
}

// peer is another rank.
type peer struct {
	rma.Peer
	queue  int // index on every rail; with option qps, that of its first queue pair
	remote []target

	mute    time.Duration // on iWARP: time since the last answer of its adapter
	missing time.Duration // over UC and UD: time for which packets or a put of the peer have been missing
	conn    conn          // with connect=lazy

	end   string    // the event of RDMA CM by which the connection has ended, "" if none has come
	ended time.Time // when it came
}

// A target is memory on a rail of a peer to which any rank may write.
type target struct {
	landing uint64
	rkey    uint32
}

var (
	_ protocol.Wire      = (*wire)(nil)
	_ protocol.Peeker    = (*wire)(nil)
	_ protocol.Sleeper   = (*wire)(nil)
	_ protocol.RMA       = (*wire)(nil)
	_ protocol.Severer   = (*wire)(nil)
	_ protocol.Notifier  = (*wire)(nil)
	_ protocol.Allocator = (*wire)(nil)
	_ protocol.Looper    = (*wire)(nil)
)

// Sleep implements protocol.Sleeper: a waiting rank sleeps with option wait=block only.
func (w *wire) Sleep() protocol.Sleep {
	if !w.set.blocking {
		return protocol.Sleep{}
	}
	return protocol.Sleep{Block: w.block}
}

// block is protocol.Sleep.Block, by the completion channel of the first rail, which carries all
// packets.
func (w *wire) block(d time.Duration) {
	if w.next < len(w.events) || w.unreported() {
		return
	}
	if w.set.lazy || len(w.rails) > 1 {
		d = min(d, shortDoze)
	}
	events, err := w.rails[0].Sleep(d)
	if err != nil {
		for _, p := range w.byQ {
			w.GiveUp(&p.Peer, err.Error())
		}
	}
	w.events, w.next = events, 0
}

// shortDoze is the longest sleep if some events do not wake the rank: those of connecting, and of
// other rails.
const shortDoze = 5 * time.Millisecond

// newWire returns a wire without queue pairs.
func newWire(rank, size int, set settings) *wire {
	w := &wire{queues: queues{rank: rank, set: set, limits: limits(set), peers: make([]*peer, size)}}
	w.connector.q, w.memory = &w.queues, newMemory(&w.queues)
	w.transfers.q, w.transfers.memory = &w.queues, &w.memory
	w.Prepare(&w.transfers, size)
	w.loops.q, w.loops.memory = &w.queues, &w.memory
	return w
}

// Limits implements protocol.Wire.
func (w *wire) Limits() protocol.Limits { return w.limits }

// Push implements protocol.Wire. Packets use the first rail, because order is preserved only within
// a queue pair.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	p := w.peers[to]
	if p.Failed {
		return true
	}
	if p.Blocked() {
		return false // a packet may not overtake a put
	}
	if w.set.lazy && !p.conn.whole {
		return w.pushUnconnected(p, h)
	}
	switch s := w.rails[0].Send(p.queue, [3]uint64{h.W0, h.W1, h.W2}, data, h.Last()); {
	case s == 0:
		return true
	case s == ibv.NoRoom:
		return false
	default:
		w.GiveUp(&p.Peer, "send: "+s.Err("ibv_post_send").Error())
		return true
	}
}

// Poll implements protocol.Wire.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	w.tend(from, sink)
	did := w.next < len(w.events)
	w.deliver(sink)
	for i := range w.rails {
		if w.look(i, 1) {
			did = true
			w.deliver(sink)
		}
	}
	return w.Ended.Report(sink) || did
}

// tend makes connections and reports lost peers: all work that no event of a rail triggers.
func (w *wire) tend(from int, sink protocol.Sink) {
	if w.set.lazy {
		w.joining.waited = from
		if w.joining.calls > 0 {
			w.pollCM()
			w.part(sink)
		}
		w.joining.goodbyes.Deliver(sink)
	}
	if w.Pending() {
		w.Settle(sink, w.release)
	}
}

// partLooks bounds the polls of a rail in one call of part.
const partLooks = 1000

// part gives up the peers whose connections have ended. Events of RDMA CM come by another way than
// completions and may overtake them by any time: a peer that has ended may still have packets on
// the way to this rank's memory or in the completion queue. So a peer whose connection has ended is
// failed by the completion that flushes its receive queue, behind which there are no others
// (deliver), or after the time for which an adapter may be silent, where the driver flushes
// nothing.
func (w *wire) part(sink protocol.Sink) {
	if len(w.parted) == 0 {
		return
	}
	w.drain(sink)
	w.parted = slices.DeleteFunc(w.parted, func(p *peer) bool {
		if !p.Failed && time.Since(p.ended) > w.set.quiet {
			w.GiveUp(&p.Peer, p.end)
		}
		return p.Failed
	})
}

// drain delivers all completions that have arrived. Many in succession may be no events, such as
// those of sends.
func (w *wire) drain(sink protocol.Sink) {
	w.deliver(sink)
	for i, r := range w.rails {
		for range partLooks {
			before := r.Polled()
			w.look(i, 1)
			if r.Polled() == before {
				break
			}
			w.deliver(sink)
		}
	}
}

// deliver passes the events of the last poll to the sink.
func (w *wire) deliver(sink protocol.Sink) {
	for w.next < len(w.events) {
		e := &w.events[w.next]
		w.next++
		p := w.byQ[int(e.Queue)%len(w.byQ)]
		if p.Failed {
			continue
		}
		switch e.Kind {
		case ibv.Packet:
			h := header(p, e)
			sink.Packet(p.Rank, h, e.Data())
		case ibv.Notice:
			p.Heard = true
			sink.Notice(p.Rank, e.Word)
		case ibv.Ended:
			p.Heard = true
			if e.Token == ibv.LoopToken {
				w.loop.Ended++
				break
			}
			w.pieceEnded(p, int32(e.Token))
		case ibv.Broken:
			cause := w.explain(e)
			if p.end != "" {
				cause = p.end + "; " + cause
			}
			w.fail(p, cause, sink)
		}
	}
	w.Advance()
}

// Peek implements protocol.Peeker. It polls in C.
func (w *wire) Peek(from, turns int) (protocol.Header, []byte, bool) {
	if w.next == len(w.events) {
		if w.unreported() || !w.wait(turns) {
			return protocol.Header{}, nil, false
		}
	}
	if from < 0 {
		return protocol.Header{}, nil, false
	}
	e := &w.events[w.next]
	p := w.peers[from] // nil for this rank
	if p == nil || p.Failed || e.Kind != ibv.Packet || int(e.Queue) != p.queue {
		return protocol.Header{}, nil, false
	}
	return header(p, e), e.Data(), true
}

// unreported reports whether the next Poll has something for the sink besides the events of rails.
func (w *wire) unreported() bool { return w.Pending() || w.Ended.Len() > 0 }

// header returns the header of a packet from p.
func header(p *peer, e *ibv.Event) protocol.Header {
	h := protocol.Header{W0: e.Header[0], W1: e.Header[1], W2: e.Header[2]}
	p.Heard = true
	p.Left = p.Left || h.Last()
	return h
}

// Pop implements protocol.Peeker.
func (w *wire) Pop(from int) {
	w.next++
}

// Serve implements protocol.Peeker. Peek finds the events of all peers, and leaves those that its
// caller does not await to Poll, so only the work without events remains here.
func (w *wire) Serve(from int, sink protocol.Sink) bool {
	w.tend(from, sink)
	w.Advance()
	return w.Ended.Report(sink)
}

// Continue implements protocol.Looper.
func (w *wire) Continue() (advanced, done bool) {
	p := w.loop.peer
	if p.Failed || w.next < len(w.events) || w.unreported() || p.Blocked() {
		return false, false
	}
	return w.loops.run()
}

// limits returns the limits of a wire before its rails are open.
func limits(s settings) protocol.Limits {
	turns := looks
	if s.blocking { // a rank sleeps after an unsuccessful poll
		turns = 1
	}
	return protocol.Limits{
		Packet:     s.buffer,
		PeekTurns:  turns,
		Fragment:   s.buffer,
		EagerLimit: eagerLimit,
		Methods:    []protocol.Method{protocol.Put, protocol.Get},
		Copy:       "rdma",
		Move:       maxRequest,
	}
}

// looks is the number of polls in C for one call from Go: some microseconds. With more polls a
// waiting rank would yield its core later, which soft-RoCE needs to process long messages.
const looks = 64

// eagerLimit is the size for which a copy on each side costs as much as a rendezvous, in bytes.
const eagerLimit = 16 << 10
