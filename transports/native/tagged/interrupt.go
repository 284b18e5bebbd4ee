//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"slices"

	"gobench/device"
)

var _ device.Interrupter = (*Device)(nil)

// Interrupt implements device.Interrupter. The owner of the device sees it when it calls look.
func (d *Device) Interrupt(cause error) { d.interrupt.CompareAndSwap(nil, &cause) }

// stop ends all operations with an *device.InterruptedError, as if all peers had died.
func (d *Device) stop(cause error) {
	rank := slices.IndexFunc(d.requests, func(r request) bool { return r.live && !r.lost })
	if rank >= 0 {
		rank = d.requests[rank].peer
	}
	d.stopped = &device.InterruptedError{Rank: rank, Cause: cause}
	for rank := range d.peers {
		if rank != d.Config.Rank {
			d.fail(rank, "interrupted")
		}
	}
	if d.anyErr == nil {
		d.anyErr = d.stopped
	}
}
