package naive

import (
	"runtime"
	"slices"

	"gobench/device"
)

// Bind ties a context to ranks (device.Binder).
func (d *Device) Bind(context int32, ranks []int) error {
	d.world.Lock()
	defer d.world.Unlock()
	if d.fault != Unbound {
		d.world.bound[d.rank][context] = slices.Clone(ranks)
		d.world.senders[d.rank][context] = d.world.bound[d.rank][context]
	}
	return nil
}

// Confine sets the ranks that send in a context (device.Confiner).
func (d *Device) Confine(context int32, ranks []int) error {
	d.world.Lock()
	defer d.world.Unlock()
	if d.fault != Unbound {
		delete(d.world.bound[d.rank], context)
		d.world.senders[d.rank][context] = slices.Clone(ranks)
	}
	return nil
}

// Unbind ends a binding (device.Binder).
func (d *Device) Unbind(context int32) {
	d.world.Lock()
	defer d.world.Unlock()
	delete(d.world.bound[d.rank], context)
	delete(d.world.senders[d.rank], context)
}

// Progress yields and detects dead peers (device.Sharer).
func (d *Device) Progress(_ *device.WaitState, context int32, peer int) error {
	runtime.Gosched()
	if err := d.interrupted(); err != nil {
		return err
	}
	d.world.Lock()
	defer d.world.Unlock()
	if err := d.world.breach(d.rank, context, d.fault); err != nil {
		return err
	}
	if peer >= 0 && d.world.gone[peer] != "" && d.fault != DeafToDeath {
		return &device.PeerError{Rank: peer, Cause: d.world.gone[peer]}
	}
	return nil
}

// breach returns the error of a context of one rank that is bound to a dead one.
func (w *world) breach(rank int, context int32, f Fault) error {
	for _, peer := range w.bound[rank][context] {
		if f != DeafToDeath && (w.killed[peer] || f == ClosedIsDead && w.gone[peer] != "") {
			return &device.PeerError{Rank: peer, Cause: w.gone[peer]}
		}
	}
	return nil
}

// breakContexts ends what is not matched in contexts that are bound to a dead rank.
func (w *world) breakContexts(f Fault) {
	for rank := range w.posted {
		w.posted[rank] = slices.DeleteFunc(w.posted[rank], func(o *operation) bool {
			err := w.breach(rank, o.context, f)
			if err != nil {
				w.complete(o, err)
			}
			return err != nil
		})
		w.inbox[rank] = slices.DeleteFunc(w.inbox[rank], func(m *message) bool {
			err := w.breach(m.src, m.context, f)
			if m.sync == nil || err == nil {
				return false
			}
			if m.sync.done == 0 {
				w.complete(m.sync, err)
			}
			return true
		})
	}
}
