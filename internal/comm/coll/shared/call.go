package shared

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// A Call holds the arguments of a collective operation on one rank. Shape documents the contents of
// Send and Recv.
type Call struct {
	Shape      *schedule.Shape
	Send, Recv []byte
	Op         *op.Op // of reductions, else nil
}

// A Func runs a collective operation in an arena. It blocks, progresses messages while it waits,
// and returns a *device.PeerError when a rank of the communicator dies.
type Func func(a *Arena, c *Call) error

// input returns this rank's contribution, which in place is in Recv.
func (c *Call) input() []byte {
	if c.Shape.InPlace {
		return c.Recv
	}
	return c.Send
}

// length returns the length of a rank's block in bytes.
func (c *Call) length(r int) int { return c.Shape.Len(r) }

// longest returns the length of the longest block.
func (c *Call) longest() int {
	if c.Shape.Uniform() {
		return c.Shape.Bytes
	}
	longest := 0
	for r := range c.Shape.Ranks {
		longest = max(longest, c.Shape.Len(r))
	}
	return longest
}

// sendAt and recvAt return the offset of a rank's block in a buffer with all blocks.
func (c *Call) sendAt(r int) int {
	if b := c.Shape.SendBlocks; b != nil {
		return b[r].Off
	}
	return r * c.Shape.Bytes
}

// recvAt returns the offset of the block of a rank in the Recv buffer.
func (c *Call) recvAt(r int) int {
	if b := c.Shape.RecvBlocks; b != nil {
		return b[r].Off
	}
	return r * c.Shape.Bytes
}

// part returns the number of bytes of a block that are moved in the step at off.
func part(length, off, step int) int { return max(0, min(step, length-off)) }

// Do runs an operation with f. After an error the ranks may be in different steps, so every later
// operation returns the same error.
func (a *Arena) Do(f Func, c *Call) error {
	if a.failed != nil {
		return a.failed
	}
	a.kind = word(c.Shape.Kind)
	a.failed = f(a, c)
	return a.failed
}
