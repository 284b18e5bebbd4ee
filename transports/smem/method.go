package smem

import "gobench/device/protocol"

// Suggestions to the protocol, by measurement (see the package comment).
const (
	fragment   = 16 << 10
	eagerLimit = 64 << 10
)

var methods = []protocol.Method{protocol.Get, protocol.Put, protocol.Split}

func methodCMA(size int) protocol.Method { return protocol.Split }

func methodDirect(size int) protocol.Method { return protocol.Split }
