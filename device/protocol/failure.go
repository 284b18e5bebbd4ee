package protocol

import (
	"fmt"

	"gobench/device"
)

// Failed takes a dead peer from the wire.
func (d *Device) Failed(rank int, cause string) {
	p := &d.peers[rank]
	if p.leaving {
		d.part(p)
	}
	d.fail(p, cause)
}

// violation treats a peer that breaks the protocol as lost.
func (d *Device) violation(p *peer, what string, h Header) {
	err := device.ProtocolError{Rank: p.rank, Detail: fmt.Sprintf("it sent %s (%v)", what, h)}
	d.fail(p, err.Error())
}

// fail ends everything that needs the peer. Messages of the peer that have arrived
// whole stay receivable.
func (d *Device) fail(p *peer, cause string) { d.end(p, cause, false) }

// end ends what needs a peer that has died or left. One that left still serves, until
// this rank closes too, the rendezvous that it has announced.
func (d *Device) end(p *peer, cause string, left bool) {
	if !d.lose(p, cause, left) {
		return
	}
	a := p.arriving
	p.arriving = arrival{}
	for m := d.unexpected.source[p.rank].head; m != nil; {
		next := m.next
		if m.rendezvous && !left || m == a.message {
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
			r.err = p.lost
			d.requests.finish(r)
		}
	}
	if p.died != nil {
		d.breakContexts(p)
	}
}

// lose marks a peer as lost, and as gone unless it left on purpose. It reports
// false if that is no news. A peer that left matters to receives from any
// source only when it was the last.
func (d *core) lose(p *peer, cause string, left bool) bool {
	if p.gone || left && p.lost != nil {
		return false
	}
	p.gone = !left
	if p.gone {
		p.control = packets{}
		if s, ok := d.wire.(Severer); ok {
			s.Sever(p.rank)
		}
	}
	if p.lost != nil {
		return true // it left before
	}
	err := &device.PeerError{Rank: p.rank, Cause: cause}
	p.lost = err
	if !left {
		p.died = err
	}
	if d.lost != nil {
		return true
	}
	for i := range d.peers {
		if left && i != d.rank && d.peers[i].lost == nil {
			return true
		}
	}
	d.lost = p
	return true
}

// needs reports whether an active request cannot complete now that the peer is lost.
func (d *Device) needs(r *request, p *peer) bool {
	rank := p.rank
	switch {
	case r.part.used && r.part.far != rank:
		return false
	case r.part.used && p.gone:
		return true
	case r.part.used:
		// The peer has ended all that it had matched.
		return r.send && (r.queue == &p.sends || r.part.awaited&waitPeer != 0)
	case r.send:
		return r.peer == rank
	}
	// A receive that a fragmented message of another peer has matched is in no queue.
	return r.queue != nil && (r.peer == rank || r.peer == device.AnySource && d.lost != nil)
}
