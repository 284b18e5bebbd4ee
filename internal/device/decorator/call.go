package decorator

import "gobench/device"

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
)

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
	Buf          []byte // belongs to the caller
}

// receives holds the buffers of posted receives until they complete.
type receives map[device.Request][]byte

// landed updates the table and returns the buffer of the receive that this call has completed, if
// any.
func (t receives) landed(c *Call, done bool, err error) (buf []byte, ok bool) {
	switch c.Op {
	case OpIrecv:
		if err == nil {
			t[c.Request] = c.Buf
		}
	case OpRecv:
		return c.Buf, true
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
