package protocol

import (
	"slices"

	"gobench/device"
)

// Bind ties a context to ranks (device.Binder). A context that is bound
// already is bound anew. Where one of the ranks is dead, the context is broken from the
// beginning.
func (d *Device) Bind(context int32, ranks []int) error {
	if d.closed {
		return device.ErrClosed
	}
	for _, rank := range ranks {
		if uint(rank) >= uint(d.size) {
			return &device.ArgumentError{Name: "rank", Value: rank, Want: d.ranks()}
		}
	}
	d.Unbind(context)
	if d.bound == nil {
		d.bound = map[int32][]int{}
	}
	d.bound[context] = slices.Clone(ranks)
	for _, rank := range ranks {
		if p := &d.peers[rank]; p.died != nil {
			d.breakContext(context, p.died)
			break
		}
	}
	return nil
}

// Unbind ends that (device.Binder).
func (d *Device) Unbind(context int32) {
	delete(d.bound, context)
	delete(d.broken, context)
	if len(d.broken) == 0 {
		d.broken = nil // the branch of every call
	}
}

// breach is the error of operations in a context, nil where it is whole.
func (d *Device) breach(context int32) error {
	if d.broken == nil {
		return nil
	}
	if err := d.broken[context]; err != nil {
		return err
	}
	return nil
}

// breakContexts breaks the contexts that need a rank that has died.
func (d *Device) breakContexts(p *peer) {
	for context, ranks := range d.bound {
		if d.broken[context] == nil && slices.Contains(ranks, p.rank) {
			d.breakContext(context, p.died)
		}
	}
}

// breakContext fails what is not matched in a context, and all that will come. A
// rendezvous that is announced to a living peer may be matched there by now, so
// the peer is asked, and the answer decides whether it still takes place.
func (d *Device) breakContext(context int32, err *device.PeerError) {
	if d.broken == nil {
		d.broken = map[int32]*device.PeerError{}
	}
	d.broken[context] = err
	for _, r := range d.requests.rows {
		if r.state == active && r.context == context {
			d.giveUp(r)
		}
	}
}
