//go:build gni && cgo

package gni

import (
	"time"

	"gobench/device/protocol"
	"gobench/transports/gni/ugni"
	"gobench/transports/native/rma"
)

// fail reports a peer as dead, and ends its transfers.
func (w *wire) fail(p *peer, cause string, sink protocol.Sink) {
	rma.Fail(&p.Peer, cause, sink, w.release)
}

// settleBound limits the time for the NIC to complete the operations with an abandoned peer. A
// working NIC completes them immediately, with success or an error.
const settleBound = time.Second

// release ends the transfers of a failed peer, once the NIC no longer uses their memory, and the
// registrations that the cache would keep: the peer may be alive and know their handles.
func (w *wire) release(lost *rma.Peer) {
	p := w.peers[lost.Rank]
	for start := time.Now(); w.nic.Settle(p.Rank) && time.Since(start) < settleBound; {
	}
	w.EndAll(lost, true)
	w.Flush()
	w.endConnecting(p)
	w.notify(p)
}

// notify sends TagSevered to an abandoned peer, in case its process still runs.
func (w *wire) notify(p *peer) {
	if p.connected && !p.told {
		p.told = w.nic.Send(ugni.Outgoing{Tag: ugni.TagSevered, Peer: uint32(p.Rank)}, nil) != ugni.NoRoom
	}
}

// Sever implements protocol.Severer.
func (w *wire) Sever(rank int) {
	if p := w.peers[rank]; p != nil && !p.Failed {
		w.Abandon(&p.Peer)
	}
}

// Idle implements protocol.Wire. It polls for messages whose events were lost, and probes the NICs
// of silent peers, which detects a killed process or a vanished host, and does not disturb a
// process that computes.
func (w *wire) Idle(sink protocol.Sink) {
	if w.set.lazy {
		w.join(sink)
	}
	w.Settle(sink, w.release)
	w.nic.Sweep()
	now := time.Now()
	for _, p := range w.all {
		switch {
		case p.Failed:
			w.notify(p)
		case p.Heard || p.Quiet.IsZero():
			p.Heard, p.Quiet = false, now
		case now.Sub(p.Quiet) >= w.set.quiet:
			p.Quiet = now
			w.ask(p)
		}
		if w.set.lazy && !p.Failed && !p.connected {
			w.watch(p, now)
		}
	}
}

// ask probes the NIC of a peer.
func (w *wire) ask(p *peer) {
	err := w.nic.Bind(p.Rank, p.address)
	if err == nil {
		err = w.nic.Alive(p.Rank, p.mailbox).Err("GNI_PostFma")
	}
	if err != nil {
		w.GiveUp(&p.Peer, "asking whether it is alive: "+err.Error())
	}
}
