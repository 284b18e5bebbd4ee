package decorator

import "gobench/device"

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
