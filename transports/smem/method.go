package smem

import "gobench/device/protocol"

// Suggestions to the protocol, by measurement (see the package comment).
const (
	fragment   = 8 << 10
	eagerLimit = 8 << 10
)

func methodCMA(size int) protocol.Method { return protocol.Split }

func methodDirect(size int) protocol.Method { return protocol.Split }
