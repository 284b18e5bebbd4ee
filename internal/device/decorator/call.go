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

// receives holds the buffers of posted receives until they complete.
type receives map[device.Request][]byte

// landed updates the table and returns the buffer of the receive that this call has completed, if
// any.
func (t receives) landed(c *Call, done bool, err error) (buf []byte, ok bool) {
	switch c.Op {
	case OpIrecv:
		if err == nil {
			t[c.Request] = c.buf
		}
	case OpRecv:
		return c.buf, true
	case OpWait, OpTest:
		if done {
			buf, ok = t[c.Request]
			delete(t, c.Request)
			return buf, ok
		}
	}
	return nil, false
}

// A Tally counts how often a fault could have been injected and how often it was. The caller that
// created the decorator owns it and may read it while no operation is outstanding.
type Tally struct {
	Seen int `json:"seen"` // messages or operations on which the fault may occur
	Done int `json:"done"` // faults injected
}
