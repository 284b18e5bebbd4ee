package naive

import (
	"slices"

	"gobench/device"
)

func (d *Device) Iprobe(src int, tag, context int32) (device.Status, bool, error) {
	if err := d.check(src, tag, true); err != nil {
		return device.Status{}, false, err
	}
	if err := d.interrupted(); err != nil {
		return device.Status{}, false, err
	}
	w := d.world
	w.Lock()
	defer w.Unlock()
	if err := w.breach(d.rank, context, d.fault); err != nil {
		return device.Status{}, false, err
	}
	o := &operation{peer: src, tag: tag, context: context}
	i := w.find(d.rank, o, d.fault)
	if i < 0 {
		if d.fault == DeafToDeath {
			return device.Status{}, false, nil
		}
		return device.Status{}, false, w.lost(o, d.rank)
	}
	m := w.inbox[d.rank][i]
	if d.fault == ProbeTakes {
		w.inbox[d.rank] = slices.Delete(w.inbox[d.rank], i, i+1)
	}
	return device.Status{Source: m.src, Tag: m.tag, Size: len(m.data)}, true, nil
}

func (d *Device) Probe(src int, tag, context int32) (device.Status, error) {
	for n := yields(0); ; n.another() {
		if st, found, err := d.Iprobe(src, tag, context); found || err != nil {
			return st, err
		}
	}
}

func (d *Device) Peek() (device.Request, error) {
	for n := yields(0); ; n.another() {
		q, open, err := d.peek()
		if q != 0 || err != nil {
			return q, err
		}
		if !open {
			return 0, device.ErrRequest
		}
	}
}

func (d *Device) peek() (first device.Request, open bool, err error) {
	if d.shut() {
		return 0, false, device.ErrClosed
	}
	d.world.Lock()
	defer d.world.Unlock()
	best := 0
	for slot, o := range d.open {
		if o == nil {
			continue
		}
		open = true
		if o.done != 0 && (best == 0 || (o.done < best) != (d.fault == PeekLast)) {
			best, first = o.done, device.Request(uint64(d.age[slot])<<32|uint64(slot+1))
		}
	}
	return first, open, nil
}

// withdraw takes back an operation of a rank that nothing has matched.
func (w *world) withdraw(rank int, o *operation) {
	if o.receive {
		w.posted[rank] = slices.DeleteFunc(w.posted[rank], func(p *operation) bool { return p == o })
	} else {
		w.inbox[o.peer] = slices.DeleteFunc(w.inbox[o.peer], func(m *message) bool { return m.sync == o })
	}
}

// Cancel gives up a receive that no message has matched, or takes back a
// synchronous send that no receive has.
func (d *Device) Cancel(q device.Request) error {
	_, o, err := d.get(q)
	if err != nil {
		return err
	}
	w := d.world
	w.Lock()
	defer w.Unlock()
	if d.fault == CancelDone {
		o.status.Cancelled = true
	}
	if o.done != 0 || d.fault == CancelNever {
		return nil
	}
	if d.fault != CancelBoth { // else the cancelled receive stays posted
		w.withdraw(d.rank, o)
	}
	o.status.Cancelled = true
	w.complete(o, nil)
	return nil
}
