package application

// GatherWaits is gatherWaits of a rank with this meter, after a pause during which it waited.
func GatherWaits(r *Rank, meter waitMeter, wait func()) (Split, error) {
	r.waits = meter
	r.Pause()
	wait()
	r.Resume()
	return gatherWaits(r.Comm, r.waits, r.apart)
}
