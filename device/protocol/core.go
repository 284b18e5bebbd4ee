package protocol

import (
	"fmt"
	"time"

	"gobench/device"
)

// core is what a Device and a Raw channel have in common: the wire, the peers, the
// table of requests, and how to wait, to push and to close.
type core struct {
	wire   Wire
	direct Direct   // nil if the wire is not, or spinning is not wanted
	linger Lingerer // the same
	turns  int      // of one Look
	settings
	sink Sink // whoever is above

	// more pushes what waits behind the control packets of a peer and reports
	// whether it pushed some, and all. launch is its way to push one send.
	more     func(*peer) (some, all bool)
	launcher func(*peer, *request) bool

	rank, size int
	peers      []peer
	requests   table
	pool       pool

	backlog   []*peer // peers for which something waits to be pushed
	leaving   []*peer // peers that have said goodbye, but have yet to be told from those that died
	parted    func(*peer)
	lost      *peer            // a peer that died, or the last of those that left; nil if messages may still come from any
	shortcuts uint             // calls of shortcut
	polls     uint             // of the wire, by progress
	glances   uint             // calls of Test and Iprobe that found nothing
	idled     time.Time        // when the wire looked for dead peers last
	clock     func() time.Time // of Close
	closed    bool
	scratch   [64]byte // for the data of control packets
}

// peer is what is known of one other rank.
type peer struct {
	rank int
	flow flow

	control packets // small answers, before everything else
	sends   list    // sends not yet (wholly) pushed, in order
	bulk    list    // rendezvous transfers to move on
	listed  bool    // in core.backlog

	arriving arrival
	lost     error             // a *device.PeerError once the peer has left or died: nothing new can be done with it
	gone     bool              // nothing can be pushed to it or comes from it any more: it has died, or left and then gone away
	leaving  bool              // in core.leaving
	died     *device.PeerError // set if it died without having left
	culprit  uint64            // said in its goodbye: one more than the dead rank that it may have left for, 0 = none
}

func newCore(w Wire, c Config) (core, error) {
	s, err := c.settings(w)
	if err != nil {
		w.Close()
		return core{}, err
	}
	k := core{wire: w, settings: s, rank: c.Rank, size: c.Size, peers: make([]peer, c.Size), clock: time.Now}
	if !s.patience.crowded {
		k.direct, _ = w.(Direct)
		k.linger, _ = w.(Lingerer)
	}
	// Where there are others, they must be served too while one is waited for.
	k.turns = 8
	if c.Size == 2 {
		k.turns = 64
	}
	k.turns = max(k.turns, w.Limits().Looks)
	k.pool.most = int(s.budget) * unit * max(1, c.Size-1)
	for i := range k.peers {
		k.peers[i].rank = i
		k.peers[i].flow.budget = s.budget
	}
	return k, nil
}

func (d *core) Rank() int         { return d.rank }
func (d *core) Size() int         { return d.size }
func (d *core) Info() device.Info { return d.info }

// push hands one packet to the wire, with the news of freed memory.
func (d *core) push(p *peer, h Header, data []byte) bool {
	if !d.wire.Push(p.rank, p.flow.withCredit(h), data) {
		return false
	}
	p.flow.advertised = p.flow.freed
	return true
}

// answer pushes a control packet, or keeps it until there is room.
func (d *core) answer(p *peer, h Header, data []byte) {
	if p.gone {
		return
	}
	if p.control.empty() && d.push(p, h, data) {
		return
	}
	p.control.add(h, data)
	d.enlist(p)
}

// freed gives units back to the peer's account and tells the peer if there is
// much to tell.
func (d *core) freed(p *peer, units uint32) {
	if p.rank == d.rank {
		p.flow.back += units
		return
	}
	p.flow.held -= units
	d.passed(p, units)
}

// passed gives units back that were spent but never held: the message went
// straight to its receive.
func (d *core) passed(p *peer, units uint32) {
	p.flow.freed += units
	if p.flow.shouldSendCredit() {
		d.answer(p, header(kindCredit, 0, 0, 0, 0), nil)
	}
}

// free reports whether a new message may be pushed at once: nothing older waits, and
// the peer is there.
func (p *peer) free() bool {
	return !p.listed && p.lost == nil
}

func (d *core) checkDestination(dst int, tag int32) error {
	switch {
	case d.closed:
		return device.ErrClosed
	case uint(dst) >= uint(d.size):
		return &device.ArgumentError{Name: "destination", Value: dst, Want: d.ranks()}
	case tag < 0:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "0 or more"}
	}
	return nil
}

func (d *core) checkSource(src int, tag int32) error {
	switch {
	case d.closed:
		return device.ErrClosed
	case src != device.AnySource && uint(src) >= uint(d.size):
		return &device.ArgumentError{Name: "source", Value: src, Want: d.ranks() + " or AnySource"}
	case tag < 0 && tag != device.AnyTag:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "0 or more, or AnyTag"}
	}
	return nil
}

func (d *core) ranks() string { return fmt.Sprintf("a rank in 0..%d", d.size-1) }
