package protocol

import (
	"fmt"
	"strings"
	"time"

	"gobench/device"
)

const (
	// closePatience bounds how long Close waits for peers that make no progress. Their wires report
	// those that have died, so what it waits for is alive: stopped by a signal, or late.
	closePatience = time.Minute
	// closeGrace is the same once a rank is lost: then others may never come to their Close.
	closeGrace = 5 * time.Second
	// closeStep is the most that one turn of the wait counts for. A rank that was stopped itself finds
	// a long time gone by, in which it could not have heard of its peers.
	closeStep = 100 * time.Millisecond
)

// Close pushes what is under way, says goodbye to every living peer and waits
// for their goodbyes, as MPI_Finalize does, so that the wire can be taken down
// without loss: until then peers can receive what this rank has announced. A peer that is not heard of for
// closePatience is left behind, with an error that names it. Requests still open are lost with the device.
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
	waited := d.settle(func() bool { return !d.open() && len(d.backlog) == 0 && !d.moving() })
	var late []string
	for i := range d.peers {
		if d.peers[i].open(d.rank) {
			late = append(late, fmt.Sprint(i))
		}
	}
	d.closed = true
	err := d.wire.Close()
	switch {
	case err != nil || waited == 0:
		return err
	case late == nil:
		return fmt.Errorf("closing the device: messages under way did not end within %v", waited)
	}
	return fmt.Errorf("closing the device: rank %s did not close within %v, though nothing shows that it has died", strings.Join(late, ", "), waited)
}

// open reports whether a peer has neither said goodbye nor died.
func (p *peer) open(self int) bool { return p.rank != self && p.lost == nil }

// open reports whether any peer is.
func (d *core) open() bool {
	for i := range d.peers {
		if d.peers[i].open(d.rank) {
			return true
		}
	}
	return false
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

// settle makes progress until done, and returns 0, or until nothing has moved for as long as it has
// patience, and returns that.
func (d *core) settle(done func() bool) (waited time.Duration) {
	var w device.WaitState
	var still time.Duration
	last := d.clock()
	for !done() {
		if d.progress(device.AnySource) {
			last, still, w.Polls = d.clock(), 0, 0
			continue
		}
		if now, gaveWay := d.patience.pollMiss(&w); gaveWay {
			d.alive(now)
			now = d.clock()
			still += min(now.Sub(last), closeStep)
			last = now
			patience := closePatience
			if d.culprit() != 0 {
				patience = closeGrace
			}
			if still > patience {
				return patience
			}
		}
	}
	return 0
}
