//go:build verbs && cgo

package verbs

import (
	"fmt"
	"time"

	"gobench/device/protocol"
	"gobench/transports/verbs/ibv"
)

// explain puts a failed request into words.
func (w *wire) explain(e *ibv.Event) string {
	text := fmt.Sprintf("%v failed: %v", e.Op, e.Status)
	if e.Status == ibv.Flushed {
		text = fmt.Sprintf("its queue pair is gone (%v)", e.Status)
	}
	if e.Vendor != 0 {
		text += fmt.Sprintf(" (vendor error %#x)", e.Vendor)
	}
	for _, d := range w.down {
		if d.text != "" {
			text += "; " + d.text
		}
	}
	return text
}

// fail reports a peer as dead, ends what was under way with it, and destroys its queue pairs, so
// that the adapter touches no buffer of its operations any more.
func (w *wire) fail(p *peer, cause string, sink protocol.Sink) {
	if p.failed {
		return
	}
	p.failed, p.cause = true, cause
	w.release(p)
	sink.Failed(p.rank, cause)
}

// release frees what was under way with a peer, and reports it as failed to whoever waits for it.
func (w *wire) release(p *peer) {
	w.breakOff(p)
	for _, r := range w.rails {
		for lane := range w.set.queues {
			r.Drop(w.lane(p, lane))
		}
	}
	p.waiting, p.putting = p.waiting[:0], 0
	if !p.bond.since.IsZero() && !p.bond.whole {
		w.joining.calls--
	}
	for i := range w.ops {
		if o := &w.ops[i]; o.used && o.peer == p {
			w.ended = append(w.ended, completion{o.token, p.lost()})
			w.freeOp(int32(i))
		}
	}
}

// breakOff ends all traffic with a peer.
func (w *wire) breakOff(p *peer) {
	for _, r := range w.rails {
		for lane := range w.set.queues {
			r.Break(w.lane(p, lane))
		}
	}
}

// giveUp fails a peer where there is no sink: the next Poll reports it.
func (w *wire) giveUp(p *peer, cause string) {
	if p.failed {
		return
	}
	p.failed, p.cause = true, cause
	w.unsaid = append(w.unsaid, p)
}

// Sever implements protocol.Severer. What is not posted yet never is: its memory may be deregistered before
// the next Poll destroys the queue pairs.
func (w *wire) Sever(rank int) {
	if p := w.peers[rank]; !p.failed {
		p.waiting = p.waiting[:0]
		w.breakOff(p) // the peer writes to no buffer from now on
		w.severed = append(w.severed, p)
	}
}

// settle acts on peers that were given up, here or by the protocol.
func (w *wire) settle(sink protocol.Sink) {
	for i := 0; i < len(w.unsaid); i++ {
		p := w.unsaid[i]
		w.release(p)
		sink.Failed(p.rank, p.cause)
	}
	w.unsaid = w.unsaid[:0]
	for i := 0; i < len(w.severed); i++ {
		w.fail(w.severed[i], "it was given up", sink)
	}
	w.severed = w.severed[:0]
}

// Idle implements protocol.Wire. Peers that have been quiet are asked, by way of their adapter, whether they are
// still there, which finds a process that was killed or a host that has vanished, but leaves one
// that computes in peace.
func (w *wire) Idle(sink protocol.Sink) {
	w.connections()
	w.settle(sink)
	w.asynchronous(sink)
	now := time.Now()
	since := min(now.Sub(w.idled), w.set.quiet) // a rank that computes meanwhile has not looked for an answer
	w.idled = now
	for _, p := range w.byQ {
		if p.failed {
			continue
		}
		if w.set.lazy && !p.bond.whole {
			w.watch(p, now)
			continue
		}
		if p.heard || p.quiet.IsZero() {
			p.heard, p.quiet, p.mute = false, now, 0
			continue
		}
		if w.silent(p, since) {
			w.fail(p, fmt.Sprintf("its adapter has not answered for %v", p.mute), sink)
			continue
		}
		if now.Sub(p.quiet) < w.set.quiet {
			continue
		}
		p.quiet = now
		for i, r := range w.rails {
			if r.Live(p.queue) && !r.Asking(p.queue) {
				r.Alive(p.queue, p.remote[i].landing, p.remote[i].rkey)
			}
		}
	}
}

// silent counts for how long the adapter of a peer has not answered. Where there are local ack time-outs those find out, and with iWARP
// this side has to: TCP tries again for minutes. An answer may wait behind much else, so four times peer_timeout are allowed.
func (w *wire) silent(p *peer, since time.Duration) bool {
	for i, r := range w.rails {
		if w.places[i].iwarp && r.Asking(p.queue) {
			p.mute += since
			return p.mute > 16*w.set.quiet
		}
	}
	p.mute = 0
	return false
}

// asynchronous takes what the adapters report outside of completions.
func (w *wire) asynchronous(sink protocol.Sink) {
	for i, r := range w.rails {
		for {
			event, queue, ok := r.Async()
			if !ok {
				break
			}
			w.happened(event, i, queue, sink)
		}
	}
	// A link that comes up again at once is the retries' business.
	for _, d := range w.down {
		if d.text != "" && time.Since(d.since) > w.set.quiet {
			w.failAll(d.text, sink)
		}
	}
}

// happened acts on one asynchronous event of a rail, and of one of its queues unless that is -1. Whatever is not named
// here does no harm, or shows in completions: a path that moves, other addresses, the last request before an error.
func (w *wire) happened(event ibv.AsyncEvent, rail, queue int, sink protocol.Sink) {
	if event == ibv.NoEvent {
		return
	}
	where := fmt.Sprintf("%v at port %d of %s", event, w.places[rail].port.number, w.places[rail].device)
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
