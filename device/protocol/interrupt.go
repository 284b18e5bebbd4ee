package protocol

import "gobench/device"

var (
	_ device.Interrupter = (*Device)(nil)
	_ device.Interrupter = (*Raw)(nil)
)

// Interrupt implements device.Interrupter. The owner of the device sees it when it calls alive.
func (d *core) Interrupt(cause error) { d.interrupt.CompareAndSwap(nil, &cause) }

// stop ends all operations with an *device.InterruptedError, as if all peers had died. The wires
// sever the peers, so that they access no buffer of this rank any more. Peers get a goodbye where
// there is room for it now; to the others this rank is lost.
func (d *core) stop(cause error) {
	rank := d.awaited()
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

// awaited returns the peer that the oldest active request needs, -1 if that may be any.
func (d *core) awaited() int {
	for _, r := range d.requests.rows {
		if r.state == active && r.peer != d.rank {
			return r.peer
		}
	}
	return -1
}
