//go:build cgo && (verbs || gni)

// Package rma implements the common part of wires over network adapters: puts and gets, which are
// split into pieces and may wait for room, the keys of registered memory, and abandoned peers.
package rma

import (
	"time"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native/registration"
)

// A Peer is another rank.
type Peer struct {
	Rank   int
	Failed bool
	Cause  string // of the failure
	Left   bool   // its goodbye has arrived

	Heard bool      // an event of it has arrived since the last Idle
	Quiet time.Time // of the last Idle before which one had

	waiting []int32 // transfers that are not completely posted, in order
	apart   int     // outstanding puts that packets must not overtake
}

// Blocked reports whether a packet to the peer must wait, because it would overtake a put.
func (p *Peer) Blocked() bool { return len(p.waiting) > 0 || p.apart > 0 }

// lost returns the error of a failed peer's transfers.
func (p *Peer) lost() error { return &device.PeerError{Rank: p.Rank, Cause: p.Cause} }

// Losses holds the abandoned peers that the next Poll or Idle reports.
type Losses struct {
	givenUp []*Peer // by the wire: failed
	severed []*Peer // by the protocol
}

// GiveUp fails a peer when no sink is available.
func (l *Losses) GiveUp(p *Peer, cause string) {
	if p.Failed {
		return
	}
	p.Failed, p.Cause = true, cause
	l.givenUp = append(l.givenUp, p)
}

// Abandon abandons a peer for the protocol (protocol.Severer). Pieces that are not posted yet are
// dropped.
func (l *Losses) Abandon(p *Peer) {
	p.waiting = p.waiting[:0]
	l.severed = append(l.severed, p)
}

// Pending reports whether there are peers to report.
func (l *Losses) Pending() bool { return len(l.severed)+len(l.givenUp) > 0 }

// Settle reports the peers, each after a call of release, which frees the wire's resources of the
// peer.
func (l *Losses) Settle(sink protocol.Sink, release func(*Peer)) {
	for i := 0; i < len(l.givenUp); i++ {
		p := l.givenUp[i]
		release(p)
		sink.Failed(p.Rank, p.Cause)
	}
	l.givenUp = l.givenUp[:0]
	for i := 0; i < len(l.severed); i++ {
		Fail(l.severed[i], "it was given up", sink, release)
	}
	l.severed = l.severed[:0]
}

// Fail reports a peer as dead, once, after a call of release.
func Fail(p *Peer, cause string, sink protocol.Sink, release func(*Peer)) {
	if p.Failed {
		return
	}
	p.Failed, p.Cause = true, cause
	release(p)
	sink.Failed(p.Rank, cause)
}

// Goodbyes holds the goodbyes of peers to which this rank has said goodbye without ever having been
// connected. No connection is made just for that: nothing is under way between the two, so the peer
// counts as gone, by this rank's own goodbye packet.
type Goodbyes struct{ list []goodbye }

type goodbye struct {
	rank int
	h    protocol.Header
}

// Say adds the goodbye to a peer, for Deliver.
func (g *Goodbyes) Say(rank int, h protocol.Header) { g.list = append(g.list, goodbye{rank, h}) }

// Deliver delivers the goodbyes as if their peers had sent them.
func (g *Goodbyes) Deliver(sink protocol.Sink) {
	for i := 0; i < len(g.list); i++ {
		sink.Packet(g.list[i].rank, g.list[i].h, nil)
	}
	g.list = g.list[:0]
}

// Memory is the registered memory of a rank: a table with the calls of protocol.RMA. M describes
// registered memory, as the network returns it.
type Memory[M any] struct {
	*registration.Table[M]
	key func(*M) [2]uint64
}

// NewMemory returns memory over a table. key returns the network's half of a key.
func NewMemory[M any](t *registration.Table[M], key func(*M) [2]uint64) Memory[M] {
	return Memory[M]{t, key}
}

// Cache switches the cache on, by the value of option reg_cache of a transport.
func (m Memory[M]) Cache(transport string, limit int) error {
	if err := m.Keep(limit); err != nil {
		return &device.UnavailableError{Transport: transport, Reason: "reg_cache: " + err.Error(), Remedy: "take reg_cache=0"}
	}
	return nil
}

// Register implements protocol.RMA.
func (m Memory[M]) Register(buf []byte) (protocol.Key, error) {
	r, err := m.Take(buf)
	if err != nil {
		return protocol.Key{}, err
	}
	k, network := newKey(buf, r.Handle), m.key(&r.Memory)
	k[2], k[3] = network[0], network[1]
	return k, nil
}

// Deregister implements protocol.RMA.
func (m Memory[M]) Deregister(k protocol.Key) { m.Release(Handle(k)) }
