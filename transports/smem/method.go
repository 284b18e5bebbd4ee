package smem

import "gobench/device/protocol"

// Sizes in bytes, chosen by measurement (docs/notes/smem.md).
const (
	fragment      = 32 << 10
	eagerLimit    = 64 << 10
	farEagerLimit = 16 << 10

	// farLatency is the core-to-core latency in seconds above which a peer counts as far.
	farLatency = 120e-9
)

// Route implements protocol.Router. What decides is the core-to-core latency that was measured last
// (peer.learn): the ring passes every cache line from core to core twice, so it is best for near peers
// and worst for far ones, where the kernel's copy (cross memory attach) with its start-up cost wins.
// While messages of several peers are under way no core is idle to fill the ring while another empties
// it, and one copy is better than two. Memory from Alloc, which peers map, is copied once: by the side
// that can, or half by each.
func (w *wire) Route(peer, size int, t protocol.Transfer) protocol.Route {
	far := w.peers[peer].far && w.reach != reachNone
	// A key is only a description, so a receiver always gets it.
	r := protocol.Route{Eager: size <= farEagerLimit || !far, Key: true, Method: protocol.Pipeline}
	if w.reach == reachDirect {
		r.Method = protocol.Split
		return r
	}
	mine := false
	if len(w.regions) > 0 {
		region, _ := w.regions.find(t.Mine)
		mine = region != nil
	}
	switch theirs := t.Keyed && uint32(t.Theirs[0]) == keyRegion; {
	case mine && theirs:
		r.Method = protocol.Split
	case theirs:
		r.Method = protocol.Get
	case mine:
		r.Method = protocol.Put
	case w.reach == reachNone:
	case far:
		r.Method = protocol.Split
	case t.Crowded:
		r.Method = protocol.Put
	}
	return r
}
