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

// input is this rank's contribution: in place it lies in Recv.
func (c *Call) input() []byte {
	if c.Shape.InPlace {
		return c.Recv
	}
	return c.Send
}
