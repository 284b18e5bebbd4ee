package protocol

import (
	"fmt"

	"gobench/device"
)

// leave takes a goodbye. Where a rank of a group has died, the others give up and
// may leave at once, and whoever has not noticed the death yet hears their goodbyes
// first. The error must name the rank that has died, so where groups are
// bound the dead are looked for before anybody counts as having left.
func (d *Device) leave(p *peer) {
	if len(d.bound) == 0 {
		d.end(p, p.goodbye(), true)
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
	d.end(p, p.goodbye(), true)
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

// goodbye is the cause when a peer has left. People look for the rank that died
// first, and this rank may have had nothing to do with that.
func (p *peer) goodbye() string {
	if p.culprit == 0 {
		return "it has closed its device"
	}
	return fmt.Sprintf("it has given up because rank %d is lost", p.culprit-1)
}

// culprit is what this rank says in its goodbye: one more than the rank that it has
// seen dead, or else was told of, 0 if there is none.
func (d *core) culprit() (rank uint64) {
	for i := range d.peers {
		if d.peers[i].died != nil {
			return uint64(i) + 1
		}
		rank = max(rank, d.peers[i].culprit)
	}
	return rank
}
