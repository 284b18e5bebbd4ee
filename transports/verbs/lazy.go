//go:build verbs && cgo

package verbs

import (
	"fmt"
	"net/netip"
	"time"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// With connect=lazy a pair of ranks connects when one of them has a message for the other, or waits for the other for a
// while: a peer that nobody is connected with could die unnoticed. Whoever wants it calls. If both call at the same
// time the higher rank's call counts: it refuses the other, and the lower drops its own call and accepts.

// bond is how far a peer is connected.
type bond struct {
	rails [maxRails]stage
	whole bool      // on every rail
	since time.Time // when the first call was made, or came
	apart time.Time // since when it is waited for without being connected
	over  bool      // this rank has said goodbye: nothing can begin any more
}

type stage uint8

const (
	unknown  stage = iota
	calling        // this rank calls
	yielding       // the other does, or will: its call counts
	accepted
	joined
)

// joining is what all peers share.
type joining struct {
	calls  int // peers that are neither unknown nor whole
	waited int // of the last Poll: who is waited for
	by     time.Duration
	byes   []farewell
}

// farewell is a goodbye to a peer that was never met.
type farewell struct {
	peer *peer
	h    protocol.Header
}

// greet is Push to a peer that is not connected yet. A goodbye to somebody whom nobody has talked to is not worth a
// connection: nothing is under way between the two, so the peer counts as gone at once, and its call, should it come, is refused.
func (w *wire) greet(p *peer, h protocol.Header) bool {
	b := &p.bond
	if b.over {
		return true
	}
	if b.since.IsZero() {
		if h.Last() {
			b.over = true
			w.joining.byes = append(w.joining.byes, farewell{p, h})
			return true
		}
		w.call(p)
	}
	return false
}

// echo hands over the goodbyes of peers that were never met.
func (w *wire) echo(sink protocol.Sink) {
	for i := 0; i < len(w.joining.byes); i++ {
		sink.Packet(w.joining.byes[i].peer.rank, w.joining.byes[i].h, nil)
	}
	w.joining.byes = w.joining.byes[:0]
}

// call begins to connect a peer.
func (w *wire) call(p *peer) {
	w.begin(p)
	for i, r := range w.rails {
		if p.bond.rails[i] != unknown {
			continue
		}
		at := w.cards[p.rank].Rails[i].CM
		to, err := netip.ParseAddrPort(at)
		if err == nil {
			err = w.cms[i].Call(r, p.queue, to.Addr().String(), int(to.Port()), w.set.trafficClass, w.set.timeout)
		}
		if err != nil {
			w.giveUp(p, fmt.Sprintf("calling it at %s: %v", at, err))
			return
		}
		p.bond.rails[i] = calling
	}
}

func (w *wire) begin(p *peer) {
	if p.bond.since.IsZero() {
		p.bond.since = time.Now()
		w.joining.calls++
	}
}

// asked answers a call.
func (w *wire) asked(rail int, e ibv.CMEvent) {
	if e.Secret != w.cards[0].Secret || e.Rank < 0 || e.Rank >= len(w.peers) || e.Rank == w.rank || e.Lane != 0 {
		e.Refuse(false)
		return
	}
	p, r := w.peers[e.Rank], w.rails[rail]
	stage := &p.bond.rails[rail]
	switch {
	case p.failed || p.bond.over || *stage == accepted || *stage == joined:
		e.Refuse(false)
		return
	case *stage == calling && w.rank > p.rank:
		e.Refuse(true)
		return
	case *stage == calling:
		r.Shelve(p.queue)
	}
	w.begin(p)
	*stage = accepted
	if err := r.Accept(e, p.queue, reads(r), w.set.timeout); err != nil {
		w.giveUp(p, "accepting its call: "+err.Error())
	}
}

// joinStep takes a call one step further.
func (w *wire) joinStep(rail int, e ibv.CMEvent) {
	p, r := w.byQ[e.Queue%len(w.byQ)], w.rails[rail]
	if p.failed || p.bond.whole {
		return
	}
	stage := &p.bond.rails[rail]
	var err error
	switch e.Kind {
	case ibv.AddressResolved:
		err = r.Route(e)
	case ibv.RouteResolved:
		err = r.Greet(e, w.cards[0].Secret, w.rank, 0, reads(r), retries)
	case ibv.Established:
		*stage = joined
		r.SetLive(p.queue)
		for i := range w.rails {
			if p.bond.rails[i] != joined {
				return
			}
		}
		p.bond.whole = true
		p.heard, p.quiet = false, time.Now()
		w.joining.calls--
	case ibv.Rejected:
		if !e.Busy {
			w.giveUp(p, "it has closed its device, or its process has ended, before they were connected")
			return
		}
		r.Shelve(p.queue)
		*stage = yielding
	case ibv.TimeWaitExit, ibv.AddressChange:
	default:
		err = fmt.Errorf("%v, status %d", e.Kind, e.Status)
	}
	if err != nil {
		w.giveUp(p, "connecting by RDMA CM: "+err.Error())
	}
}

// watch looks after a peer that is not connected: one that this rank waits for is called, and one that does not connect is given up.
func (w *wire) watch(p *peer, now time.Time) {
	b := &p.bond
	switch {
	case b.over:
	case !b.since.IsZero():
		if now.Sub(b.since) > w.joining.by {
			w.giveUp(p, fmt.Sprintf("it has not connected within %v", w.joining.by))
		}
	case w.joining.waited != p.rank && w.joining.waited != device.AnySource:
		b.apart = time.Time{}
	case b.apart.IsZero():
		b.apart = now
	case now.Sub(b.apart) > w.set.quiet:
		w.call(p)
	}
}
