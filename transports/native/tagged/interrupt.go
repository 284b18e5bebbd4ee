//go:build cgo && (ucx || ofi || mxm)

package tagged

import "gobench/device"

var _ device.Interrupter = (*Device)(nil)

// Interrupt implements device.Interrupter. The owner of the device sees it when it calls look.
func (d *Device) Interrupt(cause error) { d.interrupt.CompareAndSwap(nil, &cause) }

// stop ends all operations with an *device.InterruptedError, as if all peers had died, and this
// rank as its own peer. It names awaited, the peer for which this rank waits, or device.AnySource.
func (d *Device) stop(cause error, awaited int) {
	d.stopped = &device.InterruptedError{Rank: d.blames(awaited), Cause: cause}
	for rank := range d.peers {
		d.fail(rank, "interrupted")
	}
}

// blames returns the peer for which this rank waits: that of the call, else the one that all
// requests need, -1 if that may be any.
func (d *Device) blames(awaited int) int {
	if awaited >= 0 && awaited != d.Config.Rank {
		return awaited
	}
	rank := -1
	for i := range d.requests {
		switch r := &d.requests[i]; {
		case !r.live || r.lost || r.peer == d.Config.Rank || r.peer == rank:
		case r.peer < 0 || rank >= 0:
			return -1
		default:
			rank = r.peer
		}
	}
	return rank
}
