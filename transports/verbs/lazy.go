//go:build verbs && cgo

package verbs

import (
	"fmt"
	"time"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// With connect=lazy a pair of ranks connects when one of them has a message for the other, or has
// waited for the other for a while, because the death of a peer without a connection would not be
// noticed. Either rank may request the connection. If both do at the same time the higher rank's
// request counts: it refuses the other, and the lower discards its own and accepts.
//
// On iWARP the caller sends the first packet, and the acceptor waits for it (RFC 5044, section
// 7.1.2): a packet that arrives before the caller's adapter has completed the handshake would end
// the connection.

// A conn is the state of the connection with a peer, by connect=lazy. Each rail has a stage, which
// begins as unknown:
//
//	unknown   --call: a request is sent--> calling
//	unknown   --request arrives--> accepted
//	calling   --the peer has accepted--> joined (on iWARP the greeting is sent first)
//	calling   --request arrives, and this rank is lower--> accepted; the own request is discarded
//	calling   --rejected as busy: the peer is higher and calls, too--> yielding
//	yielding  --request arrives--> accepted
//	accepted  --established--> joined, on iWARP awaiting
//	awaiting  --the caller's greeting arrives--> joined
//
// A request that arrives in calling at the higher rank is refused as busy, and in accepted,
// awaiting or joined, or after a goodbye or a failure, for ever: the caller then gives the peer up.
//
// Invariants: whole if and only if the stage of each rail is joined; packets are pushed and
// received only then. since is set if and only if a stage has left unknown, and joining.calls
// counts the peers with since that are neither whole nor failed: while it is above 0, Poll looks
// for events of RDMA CM. A peer is whole, or failed, within joining.by of since. over and since
// exclude each other: with over set, nothing was ever sent between the two. apart counts only while
// since is not set.
type conn struct {
	rails [maxRails]stage
	whole bool      // on every rail
	since time.Time // time of the first request of either side
	apart time.Time // since when this rank has waited for the peer without a connection
	over  bool      // this rank has sent its goodbye and makes no further connections
}

type stage uint8

const (
	unknown  stage = iota
	calling        // this rank has requested the connection
	yielding       // the peer's request counts, now or when it arrives
	accepted
	awaiting // accepted and established; the caller's first packet has not arrived
	joined
)

// joining is the state that the connections with all peers share.
type joining struct {
	calls    int // peers that are neither unknown nor whole
	waited   int // peer awaited by the last Poll
	by       time.Duration
	goodbyes rma.Goodbyes
}

// pushUnconnected is Push to a peer that is not connected yet. No connection is made just to send a
// goodbye (rma.Goodbyes); a later request of the peer is refused.
func (n *connector) pushUnconnected(p *peer, h protocol.Header) bool {
	b := &p.conn
	if b.over {
		return true
	}
	if b.since.IsZero() {
		if h.Last() {
			b.over = true
			n.joining.goodbyes.Say(p.Rank, h)
			return true
		}
		n.call(p)
	}
	return false
}

// endConnecting aborts connecting to a failed peer.
func (n *connector) endConnecting(p *peer) {
	if !p.conn.since.IsZero() && !p.conn.whole {
		n.joining.calls--
	}
}

// call requests a connection with a peer.
func (n *connector) call(p *peer) {
	n.begin(p)
	for i := range n.q.rails {
		if p.conn.rails[i] != unknown {
			continue
		}
		if err := n.dial(i, p, p.queue); err != nil {
			n.q.GiveUp(&p.Peer, err.Error())
			return
		}
		p.conn.rails[i] = calling
	}
}

func (n *connector) begin(p *peer) {
	if p.conn.since.IsZero() {
		p.conn.since = time.Now()
		n.joining.calls++
	}
}

// onRequest answers a connection request.
func (n *connector) onRequest(rail int, e ibv.CMEvent) {
	if e.Token != n.token(e.Rank, n.q.rank, e.Lane) || e.Rank < 0 || e.Rank >= len(n.q.peers) || n.q.peers[e.Rank] == nil || e.Lane != 0 {
		e.Refuse(false)
		return
	}
	p, r := n.q.peers[e.Rank], n.q.rails[rail]
	stage := &p.conn.rails[rail]
	if refused, busy := n.refuses(p, *stage); refused {
		e.Refuse(busy)
		return
	}
	if *stage == calling {
		r.Discard(p.queue)
	}
	n.begin(p)
	*stage = accepted
	if n.q.railAddresses[rail].iwarp {
		r.SetLiveWhenGreeted(p.queue)
	}
	if err := r.Accept(e, p.queue, n.pathMTU(rail, p.Rank), reads(r), n.q.set.timeout); err != nil {
		n.q.GiveUp(&p.Peer, "accepting its call: "+err.Error())
	}
}

// refuses reports whether a request of p is refused that arrives in a stage, and whether only
// because this rank calls, too.
func (n *connector) refuses(p *peer, at stage) (refused, busy bool) {
	if p.Failed || p.conn.over || at >= accepted {
		return true, false
	}
	busy = at == calling && n.q.rank > p.Rank
	return busy, busy
}

// joinStep advances a connection by one step.
func (n *connector) joinStep(rail int, e ibv.CMEvent) {
	p, r := n.q.byQ[e.Queue%len(n.q.byQ)], n.q.rails[rail]
	if p.Failed || p.conn.whole {
		return
	}
	stage := &p.conn.rails[rail]
	var err error
	switch e.Kind {
	case ibv.AddressResolved:
		err = r.Route(e)
	case ibv.RouteResolved:
		err = n.greet(rail, e)
	case ibv.Response:
		if err = r.Establish(e, n.pathMTU(rail, p.Rank)); err != nil {
			break
		}
		r.SetLive(p.queue)
		*stage = joined
		n.join(p)
	case ibv.Established:
		if *stage == accepted && n.q.railAddresses[rail].iwarp {
			*stage = awaiting
			n.greeted(p)
			return
		}
		r.SetLive(p.queue)
		if n.q.railAddresses[rail].iwarp {
			err = r.SendGreeting(p.queue)
		}
		*stage = joined
		n.join(p)
	case ibv.Rejected:
		if !e.Busy {
			n.q.GiveUp(&p.Peer, "it has closed its device, or its process has ended, before they were connected")
			return
		}
		r.Discard(p.queue)
		*stage = yielding
	case ibv.TimeWaitExit, ibv.AddressChange:
	default:
		err = fmt.Errorf("%v, status %d", e.Kind, e.Status)
	}
	if err != nil {
		n.q.GiveUp(&p.Peer, "connecting by RDMA CM: "+err.Error())
	}
}

// greeted completes the connection with a peer once its first packet has arrived on every rail on
// which this rank awaits it.
func (n *connector) greeted(p *peer) {
	for i, r := range n.q.rails {
		if p.conn.rails[i] == awaiting && r.Live(p.queue) {
			p.conn.rails[i] = joined
		}
	}
	n.join(p)
}

// join marks a peer as connected if it is connected on every rail.
func (n *connector) join(p *peer) {
	for i := range n.q.rails {
		if p.conn.rails[i] != joined {
			return
		}
	}
	p.conn.whole = true
	p.Heard, p.Quiet = false, time.Now()
	n.joining.calls--
}

// watch requests a connection with a peer that this rank has waited for, and fails a peer that has
// not connected in time.
func (n *connector) watch(p *peer, now time.Time) {
	b := &p.conn
	switch {
	case b.over:
	case !b.since.IsZero():
		if now.Sub(b.since) > n.joining.by {
			n.q.GiveUp(&p.Peer, fmt.Sprintf("it has not connected within %v", n.joining.by))
		}
	case n.joining.waited != p.Rank && n.joining.waited != device.AnySource:
		b.apart = time.Time{}
	case b.apart.IsZero():
		b.apart = now
	case now.Sub(b.apart) > n.q.set.quiet:
		n.call(p)
	}
}
