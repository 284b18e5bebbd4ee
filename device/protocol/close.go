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
// without loss: until then peers can receive what this rank has announced. A peer that is not heard of for closeGrace is left behind.
// Requests still open are lost with the device.
func (d *core) Close() error {
	if d.closed {
		return device.ErrClosed
	}
	d.settle(func() bool { return len(d.backlog) == 0 && !d.moving() })
	bye := header(kindBye, 0, 0, 0, d.culprit())
	for i := range d.peers {
		if p := &d.peers[i]; p.rank != d.rank {
			d.answer(p, bye, nil)
		}
	}
	late := !d.settle(func() bool {
		for i := range d.peers {
			if p := &d.peers[i]; p.rank != d.rank && p.lost == nil {
				return false
			}
		}
		return len(d.backlog) == 0 && !d.moving()
	})
	d.closed = true
	err := d.wire.Close()
	if err == nil && late {
		return errors.New("closing the device: not every peer closed in time")
	}
	return err
}

// moving reports whether a transfer is under way that this rank has a part in.
// A send that is only announced is not: its receiver may never want it.
func (d *core) moving() bool {
	for _, r := range d.requests.rows {
		if r.state == active && r.part.used && (!r.send || r.part.awaited&waitOwn != 0) {
			return true
		}
	}
	return false
}

// settle makes progress until done, or until nothing has moved for closeGrace.
func (d *core) settle(done func() bool) bool {
	var w device.Waiting
	last := time.Now()
	for !done() {
		if d.progress(device.AnySource) {
			last, w.Polls = time.Now(), 0
			continue
		}
		if now, gaveWay := d.patience.vain(&w); gaveWay {
			d.alive(now)
			if time.Since(last) > closeGrace {
				return false
			}
		}
	}
	return true
}
