package protocol

import (
	"errors"
	"time"

	"gobench/device"
)

// closeGrace bounds how long Close waits for peers that make no progress.
const closeGrace = 5 * time.Second

// Close pushes what is under way, says goodbye to every living peer and waits
// for their goodbyes, as MPI_Finalize does, so that the wire can be taken down
// without loss. A peer that is not heard of for closeGrace is left behind.
// Requests still open are lost with the device.
func (d *core) Close() error {
	if d.closed {
		return device.ErrClosed
	}
	d.settle(func() bool { return len(d.backlog) == 0 })
	for i := range d.peers {
		if p := &d.peers[i]; p.rank != d.rank {
			d.answer(p, header(kindBye, 0, 0, 0, 0), nil)
		}
	}
	late := !d.settle(func() bool {
		for i := range d.peers {
			if p := &d.peers[i]; p.rank != d.rank && p.lost == nil {
				return false
			}
		}
		return true
	})
	d.closed = true
	err := d.wire.Close()
	if err == nil && late {
		return errors.New("closing the device: not every peer closed in time")
	}
	return err
}

// settle makes progress until done, or until nothing has moved for closeGrace.
func (d *core) settle(done func() bool) bool {
	var w wait
	last := time.Now()
	for !done() {
		if d.progress(device.AnySource) {
			last = time.Now()
			if w.progressed() {
				d.wire.Idle(d.sink)
			}
			continue
		}
		if w.vain(&d.patience) {
			d.wire.Idle(d.sink)
			if time.Since(last) > closeGrace {
				return false
			}
		}
	}
	return true
}
