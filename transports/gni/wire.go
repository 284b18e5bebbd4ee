//go:build gni && cgo

package gni

import (
	"time"

	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/rma"
)

// wire is the protocol.Wire over uGNI. It belongs to one goroutine.
type wire struct {
	links
	connector
	memory
	transfers
}

// links holds the endpoints of a rank: its peers and their states.
type links struct {
	rma.Losses
	rank   int
	set    settings
	limits protocol.Limits
	nic    *ugni.NIC
	peers  []*peer // by rank; nil for this rank and those that the wire does not connect
	all    []*peer // those that there are

	events []ugni.Event // of the last look
	next   int          // the first of them that is not delivered
}

// peer is another rank.
type peer struct {
	rma.Peer
	mailbox   ugni.Mailbox // of the peer, for this rank
	address   uint32       // of its NIC
	connected bool
	told      bool // it was notified, or need not be, that it is abandoned
	conn      conn // with connect=lazy
}

var (
	_ protocol.Wire      = (*wire)(nil)
	_ protocol.Peeker    = (*wire)(nil)
	_ protocol.Sleeper   = (*wire)(nil)
	_ protocol.RMA       = (*wire)(nil)
	_ protocol.Severer   = (*wire)(nil)
	_ protocol.Notifier  = (*wire)(nil)
	_ protocol.Allocator = (*wire)(nil)
	_ protocol.Router    = (*wire)(nil)
)

// Sleep implements protocol.Sleeper: a waiting rank sleeps with option wait=block only.
func (w *wire) Sleep() protocol.Sleep {
	if !w.set.blocking {
		return protocol.Sleep{}
	}
	return protocol.Sleep{Block: w.block}
}

// block is protocol.Sleep.Block, by GNI_CqWaitEvent.
func (w *wire) block(d time.Duration) {
	if w.set.lazy {
		d = min(d, shortDoze)
	}
	if w.next == len(w.events) && !w.unreported() {
		w.nic.Sleep(d)
	}
}

// shortDoze is the longest sleep where greetings, which do not wake the rank, may come.
const shortDoze = 5 * time.Millisecond

// looks is the number of polls in C for one call from Go.
const looks = 64

// eagerLimit is the size up to which ugnidev of the thesis copies on both sides, in bytes.
const eagerLimit = 16 << 10

func newWire(rank, size int, set settings) *wire {
	turns := looks
	if set.blocking { // a rank that finds nothing sleeps
		turns = 1
	}
	w := &wire{links: links{rank: rank, set: set, peers: make([]*peer, size), limits: protocol.Limits{
		Packet:     set.mailbox - head,
		PeekTurns:  turns,
		Fragment:   set.mailbox - head,
		EagerLimit: eagerLimit,
		Methods:    []protocol.Method{protocol.Put, protocol.Get},
		Copy:       "rdma",
	}}}
	w.connector.l = &w.links
	w.memory = newMemory(&w.links)
	w.transfers.l, w.transfers.memory = &w.links, &w.memory
	w.Prepare(&w.transfers, size)
	return w
}

// Limits implements protocol.Wire.
func (w *wire) Limits() protocol.Limits { return w.limits }

// Push implements protocol.Wire.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	p := w.peers[to]
	if p.Failed {
		return true
	}
	if p.Blocked() {
		return false // a packet may not overtake a put
	}
	if !p.connected {
		return w.pushUnconnected(p, h)
	}
	return w.message(p, ugni.Outgoing{Header: [3]uint64{h.W0, h.W1, h.W2}, Tag: ugni.TagPacket}, data)
}

// message sends a short message. It reports false if there is no room now.
func (l *links) message(p *peer, o ugni.Outgoing, data []byte) bool {
	o.Peer = uint32(p.Rank)
	switch s := l.nic.Send(o, data); {
	case s == 0:
		return true
	case s == ugni.NoRoom:
		return false
	default:
		l.GiveUp(&p.Peer, s.Err("GNI_SmsgSendWTag").Error())
		return true
	}
}

// look polls the NIC. The events of the previous poll must have been delivered.
func (l *links) look(turns int) bool {
	events, err := l.nic.Poll(turns)
	if err != nil {
		for _, p := range l.all {
			l.GiveUp(&p.Peer, err.Error())
		}
	}
	l.events, l.next = events, 0
	return len(events) > 0
}

// Poll implements protocol.Wire.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	w.tend(sink)
	did := w.next < len(w.events)
	w.deliver(sink)
	if w.look(1) {
		did = true
		w.deliver(sink)
	}
	return w.Ended.Report(sink) || did
}

// tend makes connections and reports lost peers: all work that no event of the NIC triggers.
func (w *wire) tend(sink protocol.Sink) {
	if w.set.lazy {
		w.join(sink)
	}
	if w.Pending() {
		w.Settle(sink, w.release)
	}
}

// deliver passes the events of the last poll to the sink.
func (w *wire) deliver(sink protocol.Sink) {
	for w.next < len(w.events) {
		e := &w.events[w.next]
		w.next++
		p := w.peers[e.Peer]
		if p == nil || p.Failed {
			if e.Kind == ugni.Ended || e.Kind == ugni.Failed {
				w.pieceEnded(int32(e.Token), e.Kind == ugni.Failed)
			}
			continue
		}
		p.Heard = true
		switch e.Kind {
		case ugni.Packet:
			sink.Packet(p.Rank, header(p, e), e.Data())
		case ugni.Notice:
			sink.Notice(p.Rank, e.Word)
		case ugni.Ended, ugni.Failed:
			w.pieceEnded(int32(e.Token), e.Kind == ugni.Failed)
		case ugni.Severed:
			p.told = true
			w.fail(p, "it has given this rank up", sink)
		case ugni.Broken:
			w.fail(p, w.nic.Reason(p.Rank), sink)
		}
	}
	w.Advance()
}

// Peek implements protocol.Peeker. It polls in C.
func (w *wire) Peek(from, turns int) (protocol.Header, []byte, bool) {
	if w.next == len(w.events) {
		if w.unreported() || !w.look(turns) {
			return protocol.Header{}, nil, false
		}
	}
	if from < 0 {
		return protocol.Header{}, nil, false
	}
	e := &w.events[w.next]
	p := w.peers[from] // nil for this very rank
	if p == nil || p.Failed || e.Kind != ugni.Packet || int(e.Peer) != from {
		return protocol.Header{}, nil, false
	}
	p.Heard = true
	return header(p, e), e.Data(), true
}

// unreported reports whether the next Poll has something for the sink besides the events of the
// NIC.
func (w *wire) unreported() bool { return w.Pending() || w.Ended.Len() > 0 }

// header returns the header of a packet from p.
func header(p *peer, e *ugni.Event) protocol.Header {
	h := protocol.Header{W0: e.Header[0], W1: e.Header[1], W2: e.Header[2]}
	p.Left = p.Left || h.Last()
	return h
}

// Pop implements protocol.Peeker.
func (w *wire) Pop(from int) { w.next++ }

// Serve implements protocol.Peeker. Peek finds the events of all peers, and leaves those that its
// caller does not await to Poll.
func (w *wire) Serve(from int, sink protocol.Sink) bool {
	w.tend(sink)
	w.Advance()
	return w.Ended.Report(sink)
}
