package application

import "gobench/internal/launch/host"

// GatherWaits is gatherWaits of a rank with this meter, after a pause during which it waited.
func GatherWaits(r *Rank, meter waitMeter, wait func()) (Split, error) {
	r.waits = meter
	r.Pause()
	wait()
	r.Resume()
	return gatherWaits(r.Comm, r.waits, r.apart)
}

// UsedOf returns what a rank has used in timed regions.
func UsedOf(r *Rank) host.Usage { return r.used }
