package protocol

import (
	"fmt"
	"slices"
	"strings"

	"gobench/device"
)

// A carrier is a wire with its abilities and the settings that follow from its limits, shared by
// all peers that the wire reaches. It is constant.
type carrier struct {
	wire     Wire
	limits   Limits
	slow     bool     // polled rarely while no packet of its peers is awaited, because another wire is faster
	peeker   Peeker   // nil if the wire is not a Peeker, or ranks must not spin
	sleep    Sleep    // the zero Sleep if ranks spin
	rma      RMA      // nil if the wire is not one
	notifier Notifier // nil if transfers end by packets
	lander   Lander   // nil if the wire is not one
	turns    int      // of one Peek
	looks    int      // polls of Recv before it posts a request

	fragment    int // bytes of one packet of a longer message
	minFragment int // of one that is not much longer (peer.packet)
	eagerLimit  int
	smallLimit  int    // up to here the size alone decides: eager
	decides     Router // whether a message of up to eagerLimit is eager; nil: the size alone decides
	router      Router // of announced messages; nil: they go by method
	method      Method
}

// alwaysEager is the size in bytes up to which messages are eager on every wire.
const alwaysEager = 4 << 10

// configure sets what follows from the wire, its limits and the options. Options of the user go
// before what the wire suggests, and the budget before both:
//
//	eagerLimit   option eager_limit, else Limits.EagerLimit; at most what an unused budget holds
//	smallLimit   eagerLimit, or alwaysEager where the wire decides for each message (Router)
//	fragment     option fragment, else Limits.Fragment; 64 bytes to Limits.Packet
//	method       option rndv, which also switches the Router off, else the first of Limits.Methods
//	turns        of one Peek: 64 with one peer, 8 with more, or Limits.PeekTurns
//	looks        of a Recv before it is posted: fewer where each is a system call
//
// It returns a *device.ValueError for a method that the wire lacks.
func (k *carrier) configure(c Config, s settings) error {
	if !s.policy.crowded && !s.policy.blocks {
		k.peeker, _ = k.wire.(Peeker)
	}
	if s.policy.crowded || s.policy.blocks {
		k.sleep = sleepOf(k.wire)
	}
	k.rma, _ = k.wire.(RMA)
	if n, ok := k.wire.(Notifier); ok && n.Notifies() {
		k.notifier = n
	}
	k.lander, _ = k.wire.(Lander)
	// With more ranks, the other peers must be served while a packet of one is awaited.
	k.looks, k.turns = slowLooks, 8
	switch {
	case k.limits.Calls && k.slow: // and the other wires
		k.looks, k.turns = 1, 1
	case k.limits.Calls:
		k.looks = callLooks
	case k.limits.Quick:
		k.looks = quickLooks
	}
	if c.Size == 2 && !k.limits.Calls {
		k.turns = 64
	}
	k.turns = max(k.turns, k.limits.PeekTurns)
	k.fragment = k.limits.Fragment
	if k.fragment <= 0 || k.fragment > k.limits.Packet {
		k.fragment = k.limits.Packet
	}
	if n := c.Options.Bytes("fragment"); n >= 0 {
		k.fragment = min(max(n, 64), k.limits.Packet)
	}
	if k.minFragment = k.fragment; k.limits.Overlap {
		k.minFragment = max(k.fragment/2, 64)
	}
	k.router, _ = k.wire.(Router)
	k.eagerLimit = c.Options.Bytes("eager_limit")
	if k.eagerLimit < 0 {
		k.eagerLimit, k.decides = k.limits.EagerLimit, k.router
	}
	// A message that costs more than the whole budget could never be sent eagerly.
	k.eagerLimit = min(k.eagerLimit, largestEager(s.budget))
	k.smallLimit = k.eagerLimit
	if k.decides != nil {
		k.smallLimit = min(k.eagerLimit, alwaysEager)
	}
	if len(k.limits.Methods) > 0 {
		k.method = k.limits.Methods[0]
	}
	if rndv := c.Options.Word("rndv"); rndv != "auto" {
		m, _ := ParseMethod(rndv)
		if m != Pipeline && !slices.Contains(k.limits.Methods, m) {
			can := []string{Pipeline.String()}
			for _, m := range k.limits.Methods {
				can = append(can, m.String())
			}
			return &device.ValueError{Option: "rndv", Value: rndv,
				Want: fmt.Sprintf("what transport %s can do here: %s", c.Transport, strings.Join(can, ", "))}
		}
		k.router, k.method = nil, m
	}
	return nil
}

// sleepOf returns how ranks sleep that wait for a wire.
func sleepOf(w Wire) (s Sleep) {
	if sleeper, ok := w.(Sleeper); ok {
		s = sleeper.Sleep()
	}
	return s
}

// eager reports whether a message to a peer is sent eagerly.
func (k *carrier) eager(peer int, buf []byte) bool {
	return len(buf) <= k.smallLimit || k.eagerSize(peer, len(buf), Transfer{Mine: buf})
}

// eagerSize is eager for a message of size bytes of which t is known.
func (k *carrier) eagerSize(peer, size int, t Transfer) bool {
	if size > k.smallLimit && k.decides != nil && size <= k.eagerLimit {
		return k.decides.Route(peer, size, t).Eager
	}
	return size <= k.smallLimit
}

// route returns the route of an announced message.
func (k *carrier) route(peer, size int, t Transfer) Route {
	if k.router != nil {
		return k.router.Route(peer, size, t)
	}
	return Route{Key: k.method == Get || k.method == Split, Method: k.method}
}

// path names the protocol and method of messages of size bytes, for Info.
func (k *carrier) path(peer, size int, t Transfer) string {
	copies := k.limits.Copy
	if t.Alloced && k.limits.AllocCopy != "" {
		copies = k.limits.AllocCopy
	}
	switch eager, m := k.eagerSize(peer, size, t), k.route(peer, size, t).Method; {
	case eager:
		return "eager"
	case m == Pipeline:
		return "rndv-pipeline"
	default:
		return "rndv-" + m.String() + "-" + copies
	}
}
