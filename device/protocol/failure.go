package protocol

import (
	"cmp"
	"fmt"
	"slices"

	"gobench/device"
)

// Failed handles the wire's report of a dead peer (Sink).
func (d *Device) Failed(rank int, cause string) {
	p := &d.peers[rank]
	if p.state == closing {
		d.closePeer(p)
	}
	d.fail(p, cause)
}

// violation treats a peer that breaks the protocol as dead.
func (d *Device) violation(p *peer, what string, h Header) {
	err := device.ProtocolError{Rank: p.rank, Detail: fmt.Sprintf("it sent %s (%v)", what, h)}
	d.fail(p, err.Error())
}

// fail ends all operations that need a dead peer, in this order, so that nothing is found half
// done: the peer is marked and severed, unfinished messages of it are dropped, each request that
// needs it (needs) leaves its list, unregisters its buffer and completes with the error, and
// contexts that are bound to it break, which cancels requests with other peers. Messages of the
// peer that have arrived completely can still be received.
func (d *Device) fail(p *peer, cause string) { d.end(p, cause, false) }

// closePeer ends all operations that need a peer that has closed its device.
func (d *Device) closePeer(p *peer) { d.end(p, d.closeReason(p), true) }

// end ends all operations that need a peer that has died or, if left is set, has closed. Until this
// rank closes too, a closed peer still completes the rendezvous that it has announced.
func (d *Device) end(p *peer, cause string, left bool) {
	if !d.lose(p, cause, left) {
		return
	}
	a := p.arriving
	p.arriving = arrival{}
	for m := d.unexpected.source[p.rank].head; m != nil; {
		next := m.next
		if (m.rendezvous || m.self != nil) && !left || m == a.message {
			d.unexpected.remove(m)
			d.pool.giveBack(m.data)
			d.unexpected.give(m)
		}
		m = next
	}
	for _, r := range d.requests.rows {
		if r.state == active && (r == a.request || d.needs(r, p)) {
			switch {
			case r.queue == nil:
			case r.send || r.part.used:
				r.queue.remove(r)
			default:
				d.posted.remove(r)
			}
			d.unregister(&r.part)
			r.err = p.err
			if broken := d.breach(r.context); broken != nil {
				r.err = broken // the peer may have closed only because the context is broken
			}
			d.requests.finish(r)
		}
	}
	if p.state == failed {
		d.breakContexts(p)
	}
}

// lose moves a peer to state closed (left), failed or disconnected. It reports false if the peer
// was in that state already. A closed peer ends receives from AnySource only if it was the last
// open one.
func (d *core) lose(p *peer, cause string, left bool) bool {
	if p.gone() || left && p.state == closed {
		return false
	}
	known := p.state == closed
	switch {
	case left:
		p.state = closed
	case known:
		p.state = disconnected
	default:
		p.state = failed
	}
	if !left {
		p.control = packets{}
		if s, ok := p.wire.(Severer); ok && p.rank != d.rank {
			s.Sever(p.rank)
		}
	}
	if known {
		return true
	}
	d.anyLost = true
	p.err = cmp.Or[error](d.stopped, &device.PeerError{Rank: p.rank, Cause: cause, Host: device.HostName(d.job, p.rank)})
	if d.anyErr == nil && !(left && d.open()) {
		d.anyErr = p.err
	}
	return true
}

// needs reports whether an active request cannot complete without a lost peer.
func (d *Device) needs(r *request, p *peer) bool {
	rank := p.rank
	switch {
	case r.part.used && r.part.far != rank:
		return false
	case r.part.used && p.gone():
		return true
	case r.part.used:
		// The peer has completed everything that it had matched.
		return r.send && (r.queue == &p.sends || r.part.awaited&waitPeer != 0)
	case r.send:
		return r.peer == rank
	}
	// A receive that a fragmented message of another peer has matched is in no queue.
	return r.queue != nil && (r.peer == rank || r.peer == device.AnySource && d.unreachable(r.peer, r.context) != nil)
}

// startClosing handles the goodbye of a peer. When a rank of a group dies, the others may close
// immediately, and a rank that has not detected the death yet receives their goodbyes first. Errors
// must name the dead rank, so if contexts are bound, the peer counts as closed only after a check
// for dead ranks.
func (d *Device) startClosing(p *peer) {
	if len(d.bound) == 0 {
		d.closePeer(p)
		return
	}
	if p.state == connected {
		p.state = closing
		d.closing = append(d.closing, p)
	}
}

// classifyClosing checks for dead ranks and then moves the peers in state closing to closed.
func (d *core) classifyClosing() {
	for _, k := range d.carriers {
		k.wire.Poll(device.AnySource, d.sink)
		k.wire.Idle(d.sink)
	}
	list := d.closing
	d.closing = nil
	for _, p := range list {
		if p.state == closing {
			d.onClosed(p)
		}
	}
}

// closeReason returns the cause for the error of a peer that has closed. It names the rank that
// died first, even if this rank never communicated with it.
func (d *core) closeReason(p *peer) string {
	if p.deadRank == 0 {
		return "it has closed its device"
	}
	rank := int(p.deadRank) - 1
	return fmt.Sprintf("it has given up because %s is lost", device.RankName(rank, device.HostName(d.job, rank)))
}

// deadRank returns the word for this rank's goodbye: 1 + the lowest rank that it has detected as
// dead, else the word of a goodbye that named one; 0 if there is none, or if this rank was
// interrupted, which ends all peers.
func (d *core) deadRank() (rank uint64) {
	if d.stopped != nil {
		return 0
	}
	for i := range d.peers {
		if d.peers[i].state == failed {
			return uint64(i) + 1
		}
		rank = max(rank, d.peers[i].deadRank)
	}
	return rank
}

// Bind binds a context to ranks (device.Binder). Binding replaces an earlier binding of the
// context. If one of the ranks is already dead, the context is broken now.
func (d *Device) Bind(context int32, ranks []int) error {
	if err := d.Confine(context, ranks); err != nil {
		return err
	}
	if d.bound == nil {
		d.bound = map[int32][]int{}
	}
	d.bound[context] = d.senders[context]
	for _, rank := range ranks {
		if p := &d.peers[rank]; p.state == failed {
			d.breakContext(context, p.err)
			break
		}
	}
	return nil
}

// Confine sets the ranks that send in a context (device.Confiner). It replaces what was set before,
// and ends a binding of the context. Receives that are posted already keep to the new ranks when
// the next peer is lost. Nothing checks that no other rank sends.
func (d *Device) Confine(context int32, ranks []int) error {
	if d.closed {
		return device.ErrClosed
	}
	for _, rank := range ranks {
		if uint(rank) >= uint(d.size) {
			return &device.ArgumentError{Name: "rank", Value: rank, Want: d.ranks()}
		}
	}
	d.Unbind(context)
	if d.senders == nil {
		d.senders = map[int32][]int{}
	}
	d.senders[context] = slices.Clone(ranks)
	return nil
}

// Unbind releases a context (device.Binder).
func (d *Device) Unbind(context int32) {
	delete(d.bound, context)
	delete(d.senders, context)
	delete(d.broken, context)
	if len(d.broken) == 0 {
		d.broken = nil // nil again, because every call tests it
	}
}

// breach returns the error of a broken context, else nil.
func (d *Device) breach(context int32) error {
	if d.broken == nil {
		return nil
	}
	return d.broken[context]
}

// breakContexts breaks all contexts that are bound to a dead rank.
func (d *Device) breakContexts(p *peer) {
	for context, ranks := range d.bound {
		if d.broken[context] == nil && slices.Contains(ranks, p.rank) {
			d.breakContext(context, p.err)
		}
	}
}

// breakContext fails the unmatched operations in a context, and all later ones, with err. A live
// peer may have matched a rendezvous that was announced to it, so a cancel packet is sent and the
// peer's answer decides.
func (d *Device) breakContext(context int32, err error) {
	if d.broken == nil {
		d.broken = map[int32]error{}
	}
	d.broken[context] = err
	for _, r := range d.requests.rows {
		if r.state == active && r.context == context {
			d.giveUp(r)
		}
	}
}

var (
	_ device.Interrupter = (*Device)(nil)
	_ device.Interrupter = (*Raw)(nil)
)

// Interrupt implements device.Interrupter. The owner of the device sees it when it calls alive.
func (d *core) Interrupt(cause error) { d.interrupt.CompareAndSwap(nil, &cause) }

// An interrupt has two halves: Interrupt stores the cause, from any goroutine, and the rank finds
// it at its next look at the clock, within idlePeriod of a wait. From then on stopped is the error
// of all operations, new ones too; only Close still works, and tells the peers.
//
// stop ends all operations with an *device.InterruptedError, as if all peers had died. It names
// awaited, the peer for which this rank waits, or device.AnySource. The wires sever the peers, so
// that they access no buffer of this rank any more. Peers get a goodbye where there is room for it
// now; to the others this rank is lost.
func (d *core) stop(cause error, awaited int) {
	rank := d.blames(awaited)
	e := &device.InterruptedError{Rank: rank, Cause: cause}
	if rank >= 0 {
		e.Host = device.HostName(d.job, rank)
	}
	d.stopped = e
	for i := range d.peers {
		p := &d.peers[i]
		if p.rank != d.rank && !p.gone() && p.control.empty() {
			d.push(p, header(kindBye, 0, 0, 0, 0), nil)
		}
		d.onFailed(p)
	}
}

// blames returns the peer for which this rank waits: that of the call, else the one that all active
// requests need, -1 if that may be any.
func (d *core) blames(awaited int) int {
	if awaited >= 0 && awaited != d.rank {
		return awaited
	}
	rank := -1
	for _, r := range d.requests.rows {
		switch {
		case r.state != active || r.peer == d.rank || r.peer == rank:
		case r.peer < 0 || rank >= 0:
			return -1
		default:
			rank = r.peer
		}
	}
	return rank
}
