// Package shared holds collective algorithms in memory that all ranks of a
// communicator have mapped (device.Sharer): flags and slots take the place of
// messages. The thesis names collectives in the device layer as future work.
package shared

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Call is one collective operation as one rank asks for it: the shape says what
// Send and Recv are.
type Call struct {
	Shape      *schedule.Shape
	Send, Recv []byte
	Op         *op.Op // of reductions, else nil
}

// Func does a collective operation in an arena. It blocks, makes progress on
// messages while it waits, and returns a *device.PeerError when a rank of the
// communicator dies.
type Func func(a *Arena, c *Call) error

// Arena is the memory that the ranks of one communicator share.
type Arena struct{}
