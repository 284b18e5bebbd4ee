package protocol

import "time"

// A wait begins with a call of begin and is counted by the calls of count after it: once at the end
// of await and Probe, and after each poll in Progress, whose caller polls memory between its calls
// and does not tell when that ends. While the meter is on, Recv and Wait do not poll past the lists
// of requests, because the clock is read in await only; while it is off, each wait costs a branch.
//
// waitMeter measures the time in await, Probe and Progress, for device.WaitMeter.
type waitMeter struct {
	on    bool
	last  time.Time  // until when the current wait has been counted
	away  []bool     // the ranks on other hosts
	spent [2]float64 // seconds, for ranks of this host and for those of others
}

// begin begins a wait.
func (w *waitMeter) begin() {
	if w.on {
		w.last = time.Now()
	}
}

// count adds the time since the last call of begin or count, which this rank waited for peer.
func (w *waitMeter) count(peer int) {
	if !w.on {
		return
	}
	now, of := time.Now(), 0
	if uint(peer) < uint(len(w.away)) && w.away[peer] {
		of = 1
	}
	w.spent[of] += now.Sub(w.last).Seconds()
	w.last = now
}

// MeterWaits implements device.WaitMeter.
func (d *core) MeterWaits(on bool) {
	d.meter.on = on
	if !on {
		return
	}
	d.meter.spent = [2]float64{}
	d.meter.begin()
	if d.meter.away == nil && d.job != nil {
		hosts := d.job.Hosts()
		d.meter.away = make([]bool, d.size)
		for peer := range d.meter.away {
			d.meter.away[peer] = hosts[peer] != hosts[d.rank]
		}
	}
}

// Waits implements device.WaitMeter.
func (d *core) Waits() (inside, between float64) { return d.meter.spent[0], d.meter.spent[1] }
