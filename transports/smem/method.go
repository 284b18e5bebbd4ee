package smem

import "gobench/device/protocol"

// Suggestions to the protocol, by measurement (see the package comment).
const (
	fragment   = 16 << 10
	eagerLimit = 64 << 10
)

var methods = []protocol.Method{protocol.Get, protocol.Put, protocol.Split}

// methodDirect is for ranks of one address space: one copy, half by each side.
func methodDirect(int) protocol.Method { return protocol.Split }

// Choose implements protocol.Chooser: memory from Alloc, which a peer maps, is
// copied once, by whoever can, or half by each side where both can.
func (w *wire) Choose(mine []byte, theirs protocol.Key, keyed bool) (protocol.Method, bool) {
	if len(w.regions) == 0 && !keyed || w.reach == reachDirect {
		return protocol.Pipeline, false
	}
	r, _ := w.regions.find(mine)
	switch there := keyed && uint32(theirs[0]) == keyRegion; {
	case r != nil && there:
		return protocol.Split, true
	case there:
		return protocol.Get, true
	case r != nil:
		return protocol.Put, true
	}
	return protocol.Pipeline, false
}
