package protocol

import "gobench/device"

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
