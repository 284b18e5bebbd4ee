//go:build verbs && cgo

package verbs

import (
	"fmt"
	"time"

	"gobench/device/protocol"
	"gobench/transports/native/rma"
	"gobench/transports/verbs/ibv"
)

// fail reports a peer as dead, ends its transfers, and destroys its queue pairs.
func (w *wire) fail(p *peer, cause string, sink protocol.Sink) {
	rma.Fail(&p.Peer, cause, sink, w.release)
}

// release frees the resources of a failed peer, and ends its transfers.
func (w *wire) release(lost *rma.Peer) {
	p := w.peers[lost.Rank]
	w.breakOff(p)
	w.drop(p)
	w.EndAll(lost, false)
	w.endConnecting(p)
}

// Sever implements protocol.Severer. Requests that are not posted yet are dropped, because their
// memory may be deregistered before the next Poll destroys the queue pairs.
func (w *wire) Sever(rank int) {
	if p := w.peers[rank]; !p.Failed {
		w.breakOff(p) // the peer cannot write to any buffer any more
		w.Abandon(&p.Peer)
	}
}

// Idle implements protocol.Wire. It sends a request to the adapters of silent peers, which detects
// a killed process or a vanished host, and does not disturb a process that computes.
func (w *wire) Idle(sink protocol.Sink) {
	w.pollCM()
	w.part(sink)
	w.Settle(sink, w.release)
	w.asynchronous(sink)
	now := time.Now()
	since := min(now.Sub(w.idled), w.set.quiet) // a rank that has computed meanwhile has not polled for an answer
	w.idled = now
	for _, p := range w.byQ {
		if p.Failed {
			continue
		}
		if w.set.lazy && !p.conn.whole {
			w.watch(p, now)
			continue
		}
		if p.Heard || p.Quiet.IsZero() {
			p.Heard, p.Quiet, p.mute, p.missing = false, now, 0, 0
			continue
		}
		if w.set.unreliable() {
			if cause := w.lostPackets(p, since); cause != "" {
				w.fail(p, cause, sink)
				continue
			}
		}
		if w.silent(p, since) {
			w.fail(p, fmt.Sprintf("its adapter has not answered for %v", p.mute), sink)
			continue
		}
		if now.Sub(p.Quiet) < w.set.quiet {
			continue
		}
		p.Quiet = now
		for i, r := range w.rails {
			if q := w.control(p); r.Live(q) && !r.Asking(q) {
				r.Alive(q, p.remote[i].landing, p.remote[i].rkey)
			}
		}
	}
}

// lostPackets sends the number of packets sent so far to the peer (the census), and returns the
// cause of failure if packets of the peer were lost, else "". It measures how long packets have
// been missing, because the census uses another queue than the packets. Puts are not counted: an
// awaited put of a ping-pong is lost after four times peer_timeout.
func (w *wire) lostPackets(p *peer, since time.Duration) string {
	r := w.rails[0]
	r.Census(w.control(p))
	missing, timeout := r.Missing(p.queue), w.set.quiet
	waiting := w.loops.awaitsPut(p)
	if missing == 0 && !waiting {
		p.missing = 0
		return ""
	}
	if missing == 0 {
		timeout *= 16
	}
	if p.missing += since; p.missing <= timeout {
		return ""
	}
	if missing > 0 {
		return fmt.Sprintf("%d of its packets were lost, which service=%s does not repeat", missing, w.set.service)
	}
	return fmt.Sprintf("its put has not come for %v: service=%s does not repeat one that is lost", p.missing, w.set.service)
}

// silent measures how long the adapter of a peer has not answered, on iWARP, which has no local ack
// time-outs and whose TCP retransmits for minutes. An answer may be queued behind much data, so
// four times peer_timeout are allowed.
func (w *wire) silent(p *peer, since time.Duration) bool {
	for i, r := range w.rails {
		if w.railAddresses[i].iwarp && r.Asking(w.control(p)) {
			p.mute += since
			return p.mute > 16*w.set.quiet
		}
	}
	p.mute = 0
	return false
}

// asynchronous handles the asynchronous events of all adapters.
func (w *wire) asynchronous(sink protocol.Sink) {
	for i, r := range w.rails {
		for {
			event, queue, ok := r.Async()
			if !ok {
				break
			}
			w.onEvent(event, i, queue, sink)
		}
	}
	// Retries cover a short outage of a link.
	for _, d := range w.down {
		if d.text != "" && time.Since(d.since) > w.set.quiet {
			w.failAll(d.text, sink)
		}
	}
}

// onEvent handles one asynchronous event of a rail, and of one of its queues unless queue is -1.
// Other events are harmless or are followed by completions: path migration, changed addresses, the
// last request before an error.
func (w *wire) onEvent(event ibv.AsyncEvent, rail, queue int, sink protocol.Sink) {
	if event == ibv.NoEvent {
		return
	}
	where := fmt.Sprintf("%v at port %d of %s", event, w.railAddresses[rail].port.number, w.railAddresses[rail].device)
	switch event {
	case ibv.PortDown:
		w.down[rail] = outage{time.Now(), where}
	case ibv.PortUp:
		w.down[rail] = outage{}
	case ibv.DeviceFatal, ibv.CQError, ibv.SRQError:
		w.failAll(where, sink)
	case ibv.QueueFatal, ibv.QueueReq, ibv.QueueAccess:
		if queue >= 0 {
			w.fail(w.byQ[queue%len(w.byQ)], where, sink)
		}
	}
}

func (w *wire) failAll(cause string, sink protocol.Sink) {
	for _, p := range w.byQ {
		w.fail(p, cause, sink)
	}
}
