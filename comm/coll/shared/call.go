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

// length is that of a rank's block.
func (c *Call) length(r int) int { return c.Shape.Len(r) }

// longest is the length of the longest block.
func (c *Call) longest() int {
	if c.Shape.Uniform() {
		return c.Shape.Bytes
	}
	most := 0
	for r := range c.Shape.Ranks {
		most = max(most, c.Shape.Len(r))
	}
	return most
}

// sendAt and recvAt are where the block of a rank begins in a buffer with all blocks.
func (c *Call) sendAt(r int) int {
	if b := c.Shape.SendBlocks; b != nil {
		return b[r].Off
	}
	return r * c.Shape.Bytes
}

func (c *Call) recvAt(r int) int {
	if b := c.Shape.RecvBlocks; b != nil {
		return b[r].Off
	}
	return r * c.Shape.Bytes
}

// part is how many bytes of a block fall into a step of so many at off.
func part(length, off, step int) int { return max(0, min(step, length-off)) }

// Do does an operation with f. After an error the arena is of no more use, because the
// ranks may not be in the same step: every later operation gets the same error.
func (a *Arena) Do(f Func, c *Call) error {
	if a.failed != nil {
		return a.failed
	}
	a.kind = word(c.Shape.Kind)
	a.failed = f(a, c)
	return a.failed
}
