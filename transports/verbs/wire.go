//go:build verbs && cgo

package verbs

import (
	"net/netip"
	"time"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// wire is the protocol.Wire over verbs. It belongs to one goroutine.
type wire struct {
	rank      int
	set       settings
	limits    protocol.Limits
	rails     []*ibv.Rail
	places    []place
	cms       []*ibv.CM // of the rails, where RDMA CM connects; else none
	usesCM    bool
	addresses []netip.Addr // where they listen
	peers     []*peer      // by rank; nil for this rank
	byQ       []*peer      // by index of the queue, the same on every rail; with option qps modulo their number

	events []ibv.Event // of the last poll of a rail
	next   int         // the first of them that is not delivered
	turn   int         // the rail that is polled next
	loop   loop        // of the last Begin

	memory  memory
	ops     []op
	freeOps []int32
	ended   []completion
	severed []*peer
	unsaid  []*peer // failed, but not yet reported

	cards   []card // of all ranks
	joining joining

	down  [maxRails]outage
	idled time.Time // when Idle was called last
}

// peer is another rank.
type peer struct {
	rank   int
	queue  int // index on every rail; with option qps, that of its first queue pair
	remote []target
	failed bool
	cause  string
	left   bool // it has said goodbye

	heard bool          // something has come since the last Idle
	quiet time.Time     // since when nothing has
	mute  time.Duration // for how long its adapter has not answered, on iWARP

	waiting []int32 // ops that are not posted whole, in order
	putting int     // striped puts under way, which packets must not overtake
	bond    bond    // with connect=lazy
}

// target is where a peer's rail can be written to without harm.
type target struct {
	landing uint64
	rkey    uint32
}

// outage is a port that is down; no text: it is up.
type outage struct {
	since time.Time
	text  string
}

type completion struct {
	token uint64
	err   error
}

var (
	_ protocol.Wire      = (*wire)(nil)
	_ protocol.Peeker    = (*wire)(nil)
	_ protocol.RMA       = (*wire)(nil)
	_ protocol.Severer   = (*wire)(nil)
	_ protocol.Notifier  = (*wire)(nil)
	_ protocol.Allocator = (*wire)(nil)
)

// Limits implements protocol.Wire.
func (w *wire) Limits() protocol.Limits { return w.limits }

// Push implements protocol.Wire. Packets take the first rail, because order holds only within a
// queue pair.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	p := w.peers[to]
	if p.failed {
		return true
	}
	if len(p.waiting) > 0 || p.putting > 0 {
		return false // a packet may not overtake a put
	}
	if w.set.lazy && !p.bond.whole {
		return w.greet(p, h)
	}
	switch s := w.rails[0].Send(p.queue, [3]uint64{h.W0, h.W1, h.W2}, data, h.Last()); {
	case s == 0:
		return true
	case s == ibv.NoRoom:
		return false
	default:
		w.giveUp(p, "send: "+s.Err("ibv_post_send").Error())
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
	return w.reported(sink) || did
}

// tend does what has nothing to do with events.
func (w *wire) tend(from int, sink protocol.Sink) {
	if w.set.lazy {
		w.joining.waited = from
		if w.joining.calls > 0 {
			w.connections()
		}
		w.echo(sink)
	}
	if len(w.severed)+len(w.unsaid) > 0 {
		w.settle(sink)
	}
}

// look polls one rail. The events of the one before must have been delivered.
func (w *wire) look(rail, turns int) bool {
	events, err := w.rails[rail].Poll(turns)
	if err != nil {
		for _, p := range w.byQ {
			w.giveUp(p, err.Error())
		}
	}
	w.events, w.next, w.turn = events, 0, rail
	return len(events) > 0
}

// deliver hands what a poll has found to the sink.
func (w *wire) deliver(sink protocol.Sink) {
	for w.next < len(w.events) {
		e := &w.events[w.next]
		w.next++
		p := w.byQ[int(e.Queue)%len(w.byQ)]
		if p.failed {
			continue
		}
		switch e.Kind {
		case ibv.Packet:
			h := w.header(p, e)
			sink.Packet(p.rank, h, e.Data())
		case ibv.Notice:
			p.heard = true
			if n, ok := sink.(protocol.NoticeSink); ok {
				n.Notice(p.rank, e.Word)
			}
		case ibv.Ended:
			p.heard = true
			if e.Token == ibv.LoopToken {
				w.loop.Ended++
				break
			}
			w.pieceEnded(p, int32(e.Token))
		case ibv.Broken:
			w.fail(p, w.explain(e), sink)
		}
	}
	w.advance()
}

// Peek implements protocol.Peeker. It polls in C.
func (w *wire) Peek(from, turns int) (protocol.Header, []byte, bool) {
	if w.next == len(w.events) {
		if len(w.severed)+len(w.unsaid)+len(w.ended) > 0 {
			return protocol.Header{}, nil, false
		}
		if !w.wait(turns) {
			return protocol.Header{}, nil, false
		}
	}
	e := &w.events[w.next]
	p := w.peers[from] // nil for this very rank
	if p == nil || p.failed || e.Kind != ibv.Packet || int(e.Queue) != p.queue {
		return protocol.Header{}, nil, false
	}
	return w.header(p, e), e.Data(), true
}

// header is the header of a packet that has come.
func (w *wire) header(p *peer, e *ibv.Event) protocol.Header {
	h := protocol.Header{W0: e.Header[0], W1: e.Header[1], W2: e.Header[2]}
	p.heard = true
	p.left = p.left || h.Last()
	return h
}

// wait looks for events of any rail.
func (w *wire) wait(turns int) bool {
	each := turns
	if len(w.rails) > 1 {
		each = min(turns, 16)
	}
	for done := 0; done < turns; done += each {
		for i := range w.rails {
			if w.look(i, each) {
				return true
			}
		}
	}
	return false
}

// Wait implements protocol.Waiter.
func (w *wire) Wait(turns int) {
	if w.next == len(w.events) && len(w.severed)+len(w.unsaid)+len(w.ended) == 0 {
		w.wait(turns)
	}
}

// Pop implements protocol.Peeker.
func (w *wire) Pop(from int) {
	w.next++
}

// Serve implements protocol.Peeker. Peek finds the events of all peers, and leaves those that its caller does
// not wait for to Poll, so that only what comes without an event is to be done here.
func (w *wire) Serve(from int, sink protocol.Sink) bool {
	w.tend(from, sink)
	w.advance()
	return w.reported(sink)
}

// reported hands over the ends of puts and gets, if there are any.
func (w *wire) reported(sink protocol.Sink) bool {
	if len(w.ended) == 0 {
		return false
	}
	for i := 0; i < len(w.ended); i++ { // Completed may add to it
		sink.Completed(w.ended[i].token, w.ended[i].err)
	}
	w.ended = w.ended[:0]
	return true
}

// lost is the error of what a failed peer should have done.
func (p *peer) lost() error { return &device.PeerError{Rank: p.rank, Cause: p.cause} }

// lanes are the queues of a peer, the first being that of its packets.
func (w *wire) lanes(p *peer) []int {
	list := make([]int, w.set.queues)
	for i := range list {
		list[i] = w.lane(p, i)
	}
	return list
}

func (w *wire) lane(p *peer, i int) int { return i*len(w.byQ) + p.queue }
