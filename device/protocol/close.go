package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/device"
)

const (
	// closeTimeout bounds how long Close waits for peers that make no progress. The wire reports
	// dead peers, so these peers are alive: stopped by a signal, or slow.
	closeTimeout = time.Minute
	// failedTimeout replaces closeTimeout once a rank has died, because others may then never call
	// Close.
	failedTimeout = 5 * time.Second
	// closeStep bounds the time that one iteration of the wait counts. A longer one means that this
	// rank itself was stopped and could not receive from its peers.
	closeStep = 100 * time.Millisecond
)

// Close runs in four phases, in each of which this rank makes progress for its peers, too:
//
//	settle    until nothing is queued and no transfer of this rank is active
//	goodbye   Leave of each wire, then a goodbye to each peer that is not a stranger
//	settle    until every peer has closed or died: it may still take what this rank has announced
//	close     of all wires, from which on nothing of this rank can be reached
//
// It pushes queued packets, sends a goodbye to every live peer and waits for their goodbyes, as
// MPI_Finalize does, so that the wire can be closed without loss: until then peers can receive the
// messages that this rank has announced. If a peer makes no progress for closeTimeout, Close
// returns an error that names it. Requests that are still open are lost with the device.
func (d *core) Close() error {
	if d.closed {
		return device.ErrClosed
	}
	d.settle(func() bool { return len(d.backlog) == 0 && !d.moving() })
	dead := d.deadRank()
	bye := header(kindBye, 0, 0, 0, dead)
	for _, k := range d.carriers {
		if l, ok := k.wire.(Leaver); ok {
			strangers, said := l.Leave(dead, len(d.backlog) == 0)
			for _, rank := range strangers {
				d.peers[rank].state = disconnected
			}
			if said {
				continue
			}
		}
		for i := range d.peers {
			if p := &d.peers[i]; p.carrier == k && p.rank != d.rank {
				d.answer(p, bye, nil)
			}
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
	for _, r := range d.regions {
		r.deregister()
	}
	var err error
	for _, k := range d.carriers {
		err = errors.Join(err, k.wire.Close())
	}
	switch {
	case err != nil || waited == 0:
		return err
	case late == nil:
		return fmt.Errorf("closing the device: messages under way did not end within %v", waited)
	}
	return fmt.Errorf("closing the device: rank %s did not close within %v, though nothing shows that it has died", strings.Join(late, ", "), waited)
}

// open reports whether a peer other than this rank has neither closed nor died.
func (p *peer) open(self int) bool { return p.rank != self && p.state < closed }

// open reports whether any peer is open.
func (d *core) open() bool {
	return slices.ContainsFunc(d.peers, func(p peer) bool { return p.open(d.rank) })
}

// moving reports whether this rank has an active transfer. A send that is only announced does not
// count, because its receiver may never match it.
func (d *core) moving() bool {
	return slices.ContainsFunc(d.requests.rows, func(r *request) bool {
		return r.state == active && r.part.used && (!r.send || r.part.awaited&waitOwn != 0)
	})
}

// settle makes progress until done returns true, and then returns 0. After closeTimeout (or
// failedTimeout) without progress it gives up and returns that time.
func (d *core) settle(done func() bool) (waited time.Duration) {
	var w device.WaitState
	var still time.Duration
	last := d.clock()
	for !done() {
		if d.progress(device.AnySource) {
			last, still, w.Polls = d.clock(), 0, 0
			continue
		}
		if now, yielded := d.rest(&d.policy, &w, 1); yielded {
			d.alive(now, device.AnySource)
			now = d.clock()
			still += min(now.Sub(last), d.policy.turns*closeStep)
			last = now
			timeout := closeTimeout
			if d.deadRank() != 0 {
				timeout = failedTimeout
			}
			if still > timeout {
				return timeout
			}
		}
	}
	return 0
}
