//go:build cgo && (verbs || gni)

package rma

import "gobench/device/protocol"

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
