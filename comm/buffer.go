package comm

import (
	"cmp"

	"gobench/device"
)

// AttachBuffer attaches a buffer for buffered sends (Bsend) to the communicator, like
// MPI_Comm_attach_buffer of MPI 4.1. The communicator owns it until DetachBuffer. A message takes
// exactly its bytes, contiguously, so while sends are in progress, bytes at the end of the buffer
// may be unusable.
func AttachBuffer(c *Comm, buf []byte) error {
	if c.world == nil {
		return ErrClosed
	}
	if c.attached.buf != nil {
		return ErrAttached
	}
	if len(buf) > 0 {
		c.attached.buf = buf
	}
	return nil
}

// DetachBuffer waits for all buffered sends and returns the buffer, nil if none is attached, and
// the first error of the sends.
func DetachBuffer(c *Comm) ([]byte, error) {
	if c.world == nil {
		return nil, ErrClosed
	}
	return c.attached.detach(c)
}

// An attachment is a queue of messages in a circular buffer, the model of MPI 4.1,
// section 3.6.1.
type attachment struct {
	buf   []byte
	queue []copied // oldest first, from head
	head  int
	round bool  // the newest messages are before the oldest in buf
	err   error // the first error of a completed send
}

// copied is one message in the buffer.
type copied struct {
	off, end int
	request  device.Request
}

// send is called between Lock and Unlock of the engine.
func (a *attachment) send(c *Comm, data []byte, dst int, tag int32) error {
	a.reclaim(c.dev)
	off, ok := a.room(len(data))
	if !ok || a.buf == nil && len(data) > 0 {
		return &BufferError{len(data), len(a.buf)}
	}
	part := a.buf[off : off+len(data) : off+len(data)]
	copy(part, data)
	q, err := c.dev.Isend(part, dst, tag, c.context)
	if err != nil {
		return err
	}
	a.push(copied{off, off + len(data), q})
	return nil
}

// reclaim removes the oldest messages that are complete.
func (a *attachment) reclaim(dev device.Device) {
	for a.head < len(a.queue) {
		_, done, err := dev.Test(a.queue[a.head].request)
		if err == nil && !done {
			return
		}
		a.err = cmp.Or(a.err, err)
		a.head++
		if a.head < len(a.queue) && a.queue[a.head].off < a.queue[a.head-1].off {
			a.round = false
		}
	}
	a.queue, a.head, a.round = a.queue[:0], 0, false
}

// room finds n contiguous free bytes after the newest message.
func (a *attachment) room(n int) (off int, ok bool) {
	if a.head == len(a.queue) {
		return 0, n <= len(a.buf)
	}
	oldest, newest := a.queue[a.head].off, a.queue[len(a.queue)-1].end
	switch {
	case a.round:
		return newest, n <= oldest-newest
	case n <= len(a.buf)-newest:
		return newest, true
	}
	return 0, n <= oldest
}

// push adds the newest message.
func (a *attachment) push(m copied) {
	if len(a.queue) == cap(a.queue) && a.head > 0 {
		n := copy(a.queue, a.queue[a.head:])
		a.queue, a.head = a.queue[:n], 0
	}
	if n := len(a.queue); n > a.head && m.off < a.queue[n-1].end {
		a.round = true
	}
	a.queue = append(a.queue, m)
}

func (a *attachment) detach(c *Comm) ([]byte, error) {
	for _, m := range a.queue[a.head:] {
		_, err := c.wait(m.request)
		a.err = cmp.Or(a.err, err)
	}
	buf, err := a.buf, a.err
	*a = attachment{queue: a.queue[:0]}
	return buf, err
}
