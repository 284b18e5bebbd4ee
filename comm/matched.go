package comm

import "gobench/device"

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
		return Message{c: c}, nobody(), c.checkRecv("mprobe", src, tag)
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
		err := c.checkRecv("mprobe", src, tag)
		return Message{c: c}, nobody(), err == nil, err
	}
	c.engine.Lock()
	defer c.engine.Unlock()
	if c.engine.Busy() {
		c.engine.Progress()
	}
	return c.take(from, tag)
}

// take matches a message that has arrived. The caller has locked the engine.
func (c *Comm) take(from, tag int) (Message, Status, bool, error) {
	s, found, err := c.dev.Iprobe(from, int32(tag), c.context)
	if !found || err != nil {
		return Message{}, Status{}, false, err
	}
	m := Message{c: c, source: s.Source, buf: c.pool.take(s.Size)}
	m.q, err = c.dev.Irecv(m.buf, s.Source, s.Tag, c.context)
	return m, c.status(s), err == nil, err
}

// Mrecv receives a matched message into data and waits for it, as Recv does. A second Mrecv of the
// message returns device.ErrRequest.
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
	if err == nil && copy(data, taken.buf) < len(taken.buf) {
		err = &device.TruncationError{Source: taken.source, Tag: int32(s.Tag), Size: len(taken.buf), Room: len(data)}
	}
	taken.c.engine.Lock()
	taken.c.pool.give(taken.buf)
	taken.c.engine.Unlock()
	return s, err
}
