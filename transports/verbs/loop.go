//go:build verbs && cgo

package verbs

import (
	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// Loops implements protocol.Looper: option loop.
func (w *wire) Loops() bool { return !w.set.goLoop && len(w.rails) == 1 }

// Loop implements protocol.Looper.
func (w *wire) Loop(peer int, h protocol.Header, credit uint64, out, in []byte, sends, receives int, sending bool, stamps *device.Stamps) (sent, received int, heard uint64) {
	p := w.peers[peer]
	if p.failed || w.next < len(w.events) || len(w.severed)+len(w.unsaid)+len(w.ended)+len(p.waiting) > 0 {
		return 0, 0, 0
	}
	w.loop = ibv.Loop{Header: [3]uint64{h.W0, h.W1, h.W2}, Credit: credit, Queue: uint32(p.queue), Length: uint32(len(out)),
		Sends: uint32(sends), Receives: uint32(receives)}
	if sending {
		w.loop.Sending = 1
	}
	events, err := w.rails[0].Loop(&w.loop, out, in, stamps, loopLooks)
	if err != nil {
		w.giveUp(p, "send: "+err.Error())
	}
	w.events, w.next, w.turn = events, 0, 0
	p.heard = true
	return sends - int(w.loop.Sends), receives - int(w.loop.Receives), w.loop.Heard
}

// loopLooks is how long a loop in C waits for an answer before it comes back to see whether the peer is alive.
const loopLooks = 1 << 13
