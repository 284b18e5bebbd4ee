//go:build cgo && (verbs || gni)

// Package rma implements the common part of wires over network adapters: puts and gets, which are
// split into pieces and may wait for room, the keys of registered memory, and abandoned peers.
package rma

import (
	"time"

	"gobench/device"
	"gobench/device/protocol"
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
