//go:build gni && cgo

package gni

import (
	"crypto/hmac"
	"fmt"
	"time"

	"gobench/device/contact"
	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/rma"
)

// With connect=lazy a pair of ranks connects by datagrams when one of them has a message for the
// other: the caller greets the peer, and each rank has an endpoint that answers any greeting. If
// both call at the same time, the two greetings answer each other.

// connector makes the connections of a rank, where they are not all made when it opens.
type connector struct {
	l        *links
	secret   contact.Secret // of the job
	calls    int            // peers that are greeted and have not answered
	turns    uint           // calls of join
	open     bool           // the endpoint for any greeting waits
	goodbyes rma.Goodbyes
}

// conn is the state of the connection with a peer:
//
//	strange    since is zero
//	calling    since is set; call repeats the greeting until there is room for it (greeted)
//	connected  peer.connected
//	failed     peer.Failed
//
//	strange --a message to push--> calling
//	strange, calling --the peer's greeting: its call, or its answer--> connected
//	calling --an error, or connectBound is over--> failed
//
// Invariants: connector.calls counts the peers in calling; with over set in strange, this rank
// calls no more, and a peer that calls gets bye behind the connection.
type conn struct {
	since   time.Time // when this rank called; zero: it has not
	greeted bool      // the greeting is on its way
	over    bool      // this rank has sent its goodbye: no connection is made any more
	bye     protocol.Header
}

// connectBound limits the time in which a peer answers a greeting. A dead peer is noticed otherwise
// (wire.Idle).
const connectBound = time.Minute

// greeting returns the datagram of a rank to another, or to ugni.Anyone: a token, because whoever
// calls the endpoint for any greeting gets the answer, also a program of another job.
func (n *connector) greeting(from, to int) []byte {
	t := n.secret.Token(from, to, 0)
	return t[:]
}

// proves reports whether a datagram that this rank's endpoint for rank to, or for ugni.Anyone, has
// got is the greeting of rank from. The answer for any greeting is valid only where this rank has
// called, because any caller can get it.
func (n *connector) proves(data []byte, to, from int) bool {
	data = data[:contact.SecretSize]
	return hmac.Equal(data, n.greeting(from, n.l.rank)) || to == from && hmac.Equal(data, n.greeting(from, ugni.Anyone))
}

// pushUnconnected is Push to a peer that is not connected yet. No connection is made just to send a
// goodbye (rma.Goodbyes). If the peer calls later, it gets the goodbye then.
func (n *connector) pushUnconnected(p *peer, h protocol.Header) bool {
	b := &p.conn
	if b.over {
		return true
	}
	if b.since.IsZero() {
		if h.Last() {
			b.over, b.bye = true, h
			n.goodbyes.Say(p.Rank, h)
			return true
		}
		b.since = time.Now()
		n.calls++
	}
	n.call(p)
	return false
}

// call greets a peer, if there is room for a datagram.
func (n *connector) call(p *peer) {
	b := &p.conn
	if b.greeted {
		return
	}
	if err := n.l.nic.Bind(p.Rank, p.address); err != nil {
		n.l.GiveUp(&p.Peer, err.Error())
		return
	}
	switch s := n.l.nic.Greet(p.Rank, n.greeting(n.l.rank, p.Rank)); {
	case s == 0:
		b.greeted = true
	case s != ugni.NoRoom:
		n.l.GiveUp(&p.Peer, s.Err("GNI_EpPostDataWId").Error())
	}
}

// listen makes the endpoint for any greeting wait for one.
func (n *connector) listen() {
	n.open = n.l.nic.Greet(ugni.Anyone, n.greeting(n.l.rank, ugni.Anyone)) == 0
}

// rarely is the number of calls of join of which one looks for greetings while none is expected.
const rarely = 32

// join answers greetings and takes answers.
func (n *connector) join(sink protocol.Sink) {
	n.goodbyes.Deliver(sink)
	if n.turns++; n.calls == 0 && n.turns%rarely != 0 {
		return
	}
	if !n.open {
		n.listen()
	}
	for _, p := range n.l.all {
		if !p.conn.since.IsZero() && !p.connected && !p.Failed {
			n.call(p)
		}
	}
	for {
		var data [ugni.Datagram]byte
		peer, from, ok, err := n.l.nic.Greeted(&data)
		switch {
		case err != nil && peer == ugni.Anyone:
			n.open = false
			for _, p := range n.l.all {
				if p.conn.greeted && !p.connected {
					n.l.GiveUp(&p.Peer, err.Error())
				}
			}
			return
		case err != nil:
			n.l.GiveUp(&n.l.peers[peer].Peer, err.Error())
			return
		case !ok:
			return
		}
		n.onGreeting(peer, from, data[:])
	}
}

// onGreeting connects with a rank that has greeted this one.
func (n *connector) onGreeting(to, from int, data []byte) {
	if to == ugni.Anyone {
		n.listen()
	}
	if from < 0 || from >= len(n.l.peers) || n.l.peers[from] == nil || !n.proves(data, to, from) {
		return // from no rank of this job
	}
	p := n.l.peers[from]
	if p.Failed || p.connected {
		return
	}
	if to == ugni.Anyone && p.conn.greeted {
		if err := n.l.nic.Ungreet(from); err != nil {
			n.l.GiveUp(&p.Peer, err.Error())
			return
		}
		p.conn.greeted = false
	}
	err := n.l.nic.Bind(from, p.address)
	if err == nil {
		err = n.l.nic.Connect(from, p.mailbox)
	}
	if err != nil {
		n.l.GiveUp(&p.Peer, "connecting: "+err.Error())
		return
	}
	p.connected = true
	if !p.conn.since.IsZero() {
		n.calls--
	}
	if h := p.conn.bye; p.conn.over {
		n.l.message(p, ugni.Outgoing{Header: [3]uint64{h.W0, h.W1, h.W2}, Tag: ugni.TagPacket}, nil)
	}
}

// endConnecting ends the connecting to a peer that has failed.
func (n *connector) endConnecting(p *peer) {
	if !p.conn.since.IsZero() && !p.connected {
		n.calls--
	}
}

// watch gives up a peer that has not connected in time.
func (n *connector) watch(p *peer, now time.Time) {
	if b := &p.conn; !b.since.IsZero() && now.Sub(b.since) > connectBound {
		n.l.GiveUp(&p.Peer, fmt.Sprintf("it has not connected within %v", connectBound))
	}
}
