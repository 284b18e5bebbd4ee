//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"time"

	"gobench/device"
	"gobench/internal/blocking"
)

// A wait is the state of one wait.
type wait struct {
	polls int
	since time.Time
}

const (
	spinPolls = 30                    // calls of turns polls each, before the rank yields
	yields    = 20 * time.Millisecond // of giving it up, before sleeping
	lookEvery = 10 * time.Millisecond // between two looks at the processes of the peers
)

// pause must be called after an unsuccessful poll of a wait for a peer, or device.AnySource.
func (d *Device) pause(w *wait, awaited int) {
	w.polls++
	if !d.Crowded && w.polls < spinPolls {
		return
	}
	now := time.Now()
	if w.polls == 1 || w.since.IsZero() {
		w.since = now
	}
	d.alive(now, awaited)
	if d.Crowded || now.Sub(w.since) < yields {
		blocking.Yield(false)
	}
	if now.Sub(w.since) >= yields {
		if d.Sleep != nil {
			d.Sleep(1)
		} else {
			time.Sleep(50 * time.Microsecond)
		}
	}
}

// miss must be called after an unsuccessful test of an operation with a peer, or device.AnySource.
func (d *Device) miss(awaited int) {
	if d.Crowded {
		blocking.Yield(true)
	}
	if d.calls++; d.calls&0x3f == 0 {
		d.alive(time.Now(), awaited)
	}
}

// tick must be called by each operation. Some calls read the clock, and yield to other goroutines
// or check the peers, which changes the core's op.
func (d *Device) tick() {
	d.core.turn.Take()
	if d.calls++; d.calls&0x3ff == 0 {
		d.aliveNow(device.AnySource)
	}
}
