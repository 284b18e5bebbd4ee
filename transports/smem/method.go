package smem

import (
	"gobench/device/protocol"
	"gobench/internal/simd"
)

// Sizes in bytes, chosen by measurement (docs/notes/smem.md).
const (
	fragment = 32 << 10

	// bulk is the size from which the routine of the tuning copies data.
	bulk = 1 << 10

	// farLatency is the core-to-core latency in seconds above which a peer counts as far. It only
	// sorts pairs of cores: what is best for those of a group is tried. The states of rows (package
	// internal/bench/state) are relative to the least latency of the machine, which a rank that has
	// just been started does not know.
	farLatency = 120e-9
)

// A copier copies src to dst, which is at least as long. A nil copier is Go's copy.
type copier func(dst, src []byte)

// copy calls the routine. A nil one is called directly, which is cheaper for short data.
func (c copier) copy(dst, src []byte) {
	if c == nil {
		simd.CopyCached(dst, src)
	} else {
		c(dst, src)
	}
}

// The distances of two cores, as indices.
const (
	near = iota
	far
	distances
)

var distanceNames = [distances]string{"near", "far"}

// adopt puts the ways of both distances in force.
func (w *wire) adopt(tunings [distances]tuning) {
	w.tunings = tunings
	for distance, tuning := range tunings {
		w.copiers[distance], w.fetchers[distance] = routine(tuning.copier), routine(tuning.fetch)
	}
	for i := range w.peers {
		w.choose(&w.peers[i])
	}
}

// distance returns the distance of the peer's core.
func (p *peer) distance() int {
	if p.far {
		return far
	}
	return near
}

// choose sets the routines that copy for a peer, and those for all (Post, Fetch and Gap), which
// take the far ones as soon as one peer is far. It is called at open and after each measurement of
// a core latency, never while a packet or a transfer is being copied. Both ranks of a pair measure
// the same line and so agree on the distance, unless it is close to farLatency; nothing depends on
// it.
func (w *wire) choose(p *peer) {
	distance := p.distance()
	p.out.bulk, p.out.claims, p.fetch = w.copiers[distance], p.far, w.fetchers[distance]
	w.posts, w.fetches, w.gap = w.copiers[near], w.fetchers[near], nearGap
	for _, rank := range w.others {
		if w.peers[rank].far {
			w.posts, w.fetches, w.gap = w.copiers[far], w.fetchers[far], 0
		}
	}
}

// Route implements protocol.Router, by the tables of the tuning for the last measured core-to-core
// latency (peer.learn). The ring transfers every cache line between the cores twice, and the
// kernel's copy (cross memory attach) has a start-up cost: which is faster depends on the cores, on
// the size, and on what else moves. During transfers with several peers, no core is idle to fill a
// ring while another empties it, and one copy is better than two. Memory from Alloc, which peers
// map, is copied once: by the side that can, or half by each.
//
//	both buffers reachable, or one address space   the table reachable, never the ring
//	only the sender's                              get: the receiver reads
//	only this rank's                               put, or split where the sender can, too
//	neither, and no cross memory attach            the ring
//	neither                                        a table: both, stream or alone, by the traffic;
//	                                               while other peers move, put instead of the ring
func (w *wire) Route(peer, size int, t protocol.Transfer) protocol.Route {
	tables := &w.tunings[w.peers[peer].distance()].tables
	mine := t.Alloced || w.reach == reachDirect
	if w.fenced != "" {
		mine, t.Alloced = false, false
	} else if len(w.regions) > 0 && !mine {
		region, _ := w.regions.find(t.Mine)
		mine = region != nil
	}
	sent := &tables[alone]
	if mine {
		sent = &tables[reachable]
	}
	// A key is only a description, so a receiver always gets it.
	r := protocol.Route{Eager: sent[classOf(size)] == eager, Key: true, Method: protocol.Pipeline}
	switch theirs := t.Alloced || t.Keyed && uint32(t.Theirs[0]) == keyRegion; {
	case w.reach == reachDirect, mine && theirs:
		if r.Method = tables[reachable].of(size); r.Method == protocol.Pipeline {
			r.Method = protocol.Get // what is not announced may be, for lack of room
		}
	case theirs:
		r.Method = protocol.Get
	case mine:
		r.Method = protocol.Put
	case w.reach == reachNone:
	case t.Both:
		r.Method = tables[both].of(size)
	case t.Stream && !t.Crowded:
		r.Method = tables[stream].of(size)
	default:
		if r.Method = tables[alone].of(size); t.Crowded && r.Method == protocol.Pipeline {
			r.Method = protocol.Put
		}
	}
	return r
}
