//go:build verbs && cgo

package verbs

import "gobench/device/protocol"

// limits returns the limits of a wire before its rails are open.
func limits(s settings) protocol.Limits {
	turns := looks
	if s.blocking { // a rank sleeps after an unsuccessful poll
		turns = 1
	}
	return protocol.Limits{
		Packet:     s.buffer,
		PeekTurns:  turns,
		Fragment:   s.buffer,
		EagerLimit: eagerLimit,
		Methods:    []protocol.Method{protocol.Put, protocol.Get},
		Copy:       "rdma",
		Move:       maxRequest,
	}
}

// looks is the number of polls in C for one call from Go: some microseconds. With more polls a
// waiting rank would yield its core later, which soft-RoCE needs to process long messages.
const looks = 64

// eagerLimit is the size for which a copy on each side costs as much as a rendezvous, in bytes.
const eagerLimit = 16 << 10
