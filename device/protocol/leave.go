package protocol

import "gobench/device"

// leave takes a goodbye. Where a rank of a group has died, the others give up and
// may leave at once, and whoever has not noticed the death yet hears their goodbyes
// first. The error must name the rank that has died, so where groups are
// bound the dead are looked for before anybody counts as having left.
func (d *Device) leave(p *peer) {
	if len(d.bound) == 0 {
		d.end(p, hasClosed, true)
		return
	}
	if !p.leaving {
		p.leaving = true
		d.leaving = append(d.leaving, p)
	}
}

// part is the end of a peer that has left.
func (d *Device) part(p *peer) {
	p.leaving = false
	d.end(p, hasClosed, true)
}

// farewell looks for the dead and then lets go of those who have left.
func (d *core) farewell() {
	d.wire.Poll(device.AnySource, d.sink)
	d.wire.Idle(d.sink)
	list := d.leaving
	d.leaving = nil
	for _, p := range list {
		if p.leaving {
			d.parted(p)
		}
	}
}
