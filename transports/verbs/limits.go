//go:build verbs && cgo

package verbs

import "gobench/device/protocol"

// limits are what the protocol is told of a wire.
func limits(s settings) protocol.Limits {
	return protocol.Limits{
		Packet:     s.buffer,
		PeekTurns:  looks,
		Fragment:   s.buffer,
		EagerLimit: eagerLimit,
		Methods:    []protocol.Method{protocol.Put, protocol.Get},
		Method:     func(int) protocol.Method { return protocol.Put },
		Copy:       "rdma",
		Move:       mostRequest,
	}
}

// looks in C for one call from Go: some microseconds. More of them would put off the time when a rank that
// waits gives way, which soft-RoCE needs to get on with long messages.
const looks = 64

// eagerLimit is where a copy on each side and asking first cost the same.
const eagerLimit = 16 << 10
