package comm

import (
	"errors"

	"gobench/device"
)

// A Message is a message that a probe has matched: no receive and no other probe finds it, so that
// several goroutines may probe for any source (MPI 4.0, section 3.8.2). Its data goes to a buffer
// of the communicator, from which Mrecv copies it. Every Message must be received.
type Message struct {
	c      *Comm          // nil: received
	q      device.Request // 0: of ProcNull
	source int            // rank on the device
	buf    []byte
}

// Mprobe waits for a message that a Recv with these arguments would match, and matches it.
func Mprobe(c *Comm, src, tag int) (m Message, s Status, err error) {
	from, ok := c.from(src, tag)
	if !ok {
		return c.ofNobody(src, tag)
	}
	c.engine.Until(func() (found bool) {
		m, s, found, err = c.take(from, tag)
		return found || err != nil
	})
	return m, s, err
}

// Improbe makes progress once and reports whether there is such a message, which it matches.
func Improbe(c *Comm, src, tag int) (Message, Status, bool, error) {
	from, ok := c.from(src, tag)
	if !ok {
		m, s, err := c.ofNobody(src, tag)
		return m, s, err == nil, err
	}
	c.engine.Lock()
	defer c.engine.Unlock()
	if c.engine.Busy() {
		c.engine.Progress()
	}
	return c.take(from, tag)
}

// ofNobody returns the message of ProcNull, or the error of a wrong source or tag.
func (c *Comm) ofNobody(src, tag int) (Message, Status, error) {
	if err := c.checkRecv("mprobe", src, tag); err != nil {
		return Message{}, Status{}, err
	}
	return Message{c: c}, nobody(), nil
}

// take matches a message that has arrived. The caller has locked the engine.
func (c *Comm) take(from, tag int) (Message, Status, bool, error) {
	s, found, err := c.dev.Iprobe(from, int32(tag), c.context)
	if !found || err != nil {
		return Message{}, Status{}, false, err
	}
	m := Message{c: c, source: s.Source, buf: c.pool.take(s.Size)}
	if m.q, err = c.dev.Irecv(m.buf, s.Source, s.Tag, c.context); err != nil {
		c.pool.give(m.buf)
		return Message{}, Status{}, false, err
	}
	return m, c.status(s), true, nil
}

// Mrecv receives a matched message into data and waits for it, as Recv does. A second Mrecv of the
// message or of a copy of it returns device.ErrRequest, and so does that of a failed probe.
func Mrecv[T Type](m *Message, data []T) (Status, error) { return m.recv(raw(data)) }

func (m *Message) recv(data []byte) (Status, error) {
	taken := *m
	*m = Message{}
	switch {
	case taken.c == nil:
		return Status{}, device.ErrRequest
	case taken.q == 0:
		return nobody(), nil
	}
	s, err := taken.c.wait(taken.q)
	if errors.Is(err, device.ErrRequest) { // a copy of the message was received
		return s, err
	}
	if err == nil && copy(data, taken.buf) < len(taken.buf) {
		err = &device.TruncationError{Source: taken.source, Tag: int32(s.Tag), Size: len(taken.buf), Room: len(data)}
	}
	taken.c.engine.Lock()
	taken.c.pool.give(taken.buf)
	taken.c.engine.Unlock()
	return s, err
}
