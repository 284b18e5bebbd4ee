package decorator

import (
	"fmt"

	"gobench/device"
)

// Op names an operation of a channel.
type Op uint8

const (
	OpIsend Op = iota
	OpIssend
	OpIrecv
	OpSend
	OpSsend
	OpRecv
	OpWait
	OpTest
	OpIprobe
	OpProbe
	OpPeek
	OpCancel
	OpClose
	opEnd
)

var opNames = [opEnd]string{"Isend", "Issend", "Irecv", "Send", "Ssend", "Recv", "Wait", "Test",
	"Iprobe", "Probe", "Peek", "Cancel", "Close"}

func (o Op) String() string { return opNames[o] }

// sends reports whether the operation starts a message.
func (o Op) sends() bool {
	return o == OpIsend || o == OpIssend || o == OpSend || o == OpSsend
}

// Call is one call of an operation. Fields that the operation has no argument
// for are zero.
type Call struct {
	Op           Op
	Peer         int
	Tag, Context int32
	Size         int // bytes of the buffer
	Request      device.Request

	buf []byte
}

// bare returns the call without its buffer, which belongs to the caller.
func (c *Call) bare() Call {
	b := *c
	b.buf = nil
	return b
}

// same reports whether both calls have equal arguments.
func (c *Call) same(d *Call) bool {
	return c.Op == d.Op && c.Peer == d.Peer && c.Tag == d.Tag && c.Context == d.Context &&
		c.Size == d.Size && c.Request == d.Request
}

func (c Call) String() string {
	switch c.Op {
	case OpWait, OpTest, OpCancel:
		return fmt.Sprintf("%v request %#x", c.Op, uint64(c.Request))
	case OpPeek, OpClose:
		return c.Op.String()
	case OpProbe, OpIprobe:
		return fmt.Sprintf("%v peer %s tag %s context %d", c.Op, wild(c.Peer), wild(int(c.Tag)), c.Context)
	}
	s := fmt.Sprintf("%v peer %s tag %s context %d, %d bytes", c.Op, wild(c.Peer), wild(int(c.Tag)), c.Context, c.Size)
	if c.Request != 0 {
		s += fmt.Sprintf(", request %#x", uint64(c.Request))
	}
	return s
}

func wild(n int) string {
	if n == -1 {
		return "any"
	}
	return fmt.Sprint(n)
}
