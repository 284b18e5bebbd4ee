package comm

import "gobench/device"

// Recv receives the first matching message into data and waits for it. src may be AnySource, tag
// may be AnyTag. A message with fewer elements leaves the rest of data unchanged; one with more
// fills data and returns a *device.TruncationError.
func Recv[T Type](c *Comm, data []T, src, tag int) (Status, error) {
	return c.recv(raw(data), src, tag)
}

// Irecv starts a Recv. Until the request is complete, data must be neither read nor written.
func Irecv[T Type](c *Comm, data []T, src, tag int) (Request, error) {
	return c.irecv(raw(data), src, tag)
}

// Sendrecv sends out to one rank while it receives in from another. The two
// must not overlap.
func Sendrecv[S, R Type](c *Comm, out []S, dst, sendTag int, in []R, src, recvTag int) (Status, error) {
	return c.sendrecv(raw(out), dst, sendTag, raw(in), src, recvTag)
}

// SendrecvReplace sends data to one rank while it receives a message from another one, which then
// replaces data.
func SendrecvReplace[T Type](c *Comm, data []T, dst, sendTag, src, recvTag int) (Status, error) {
	return c.replace(raw(data), dst, sendTag, src, recvTag)
}

func (c *Comm) replace(data []byte, dst, sendTag, src, recvTag int) (Status, error) {
	c.engine.Lock()
	out := c.pool.take(len(data))
	c.engine.Unlock()
	copy(out, data)
	s, err := c.sendrecv(out, dst, sendTag, data, src, recvTag)
	c.engine.Lock()
	c.pool.give(out)
	c.engine.Unlock()
	return s, err
}

func (c *Comm) recv(buf []byte, src, tag int) (Status, error) {
	if uint(src) < uint(len(c.world)) && fits(tag) && !c.engine.Busy() {
		s, err := c.dev.Recv(buf, c.world[src], int32(tag), c.context)
		return c.status(s), err
	}
	r, err := c.irecv(buf, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

func (c *Comm) irecv(buf []byte, src, tag int) (Request, error) {
	from, ok := c.from(src, tag)
	if !ok {
		err := c.checkRecv("recv", src, tag)
		if err != nil {
			return Request{}, err
		}
		return Request{c: c}, nil
	}
	c.engine.Lock()
	q, err := c.dev.Irecv(buf, from, int32(tag), c.context)
	c.engine.Unlock()
	if err != nil {
		return Request{}, err
	}
	return Request{c: c, id: uint64(q)}, nil
}

func (c *Comm) sendrecv(out []byte, dst, sendTag int, in []byte, src, recvTag int) (Status, error) {
	if err := c.checkSend("sendrecv", dst, sendTag); err != nil {
		return Status{}, err
	}
	if err := c.checkRecv("sendrecv", src, recvTag); err != nil {
		return Status{}, err
	}
	r, err := c.irecv(in, src, recvTag)
	if err != nil {
		return Status{}, err
	}
	if err := c.send(out, dst, sendTag); err != nil {
		r.abandon()
		return Status{}, err
	}
	return r.Wait()
}

// from translates the source of a receive to a rank of the device. It reports false for ProcNull
// and for an invalid source or tag.
func (c *Comm) from(src, tag int) (int, bool) {
	switch {
	case !fits(tag):
		return 0, false
	case uint(src) < uint(len(c.world)):
		return c.world[src], true
	}
	return device.AnySource, src == AnySource && c.world != nil
}

func fits(tag int) bool { return uint(tag+1) <= MaxTag+1 }

// checkRecv checks the source and the tag of a receive.
func (c *Comm) checkRecv(op string, src, tag int) error {
	switch {
	case c.world == nil:
		return ErrClosed
	case src != ProcNull && src != AnySource && uint(src) >= uint(len(c.world)):
		return &ArgumentError{op, "the source", src, c.ranks() + ", AnySource or ProcNull"}
	case !fits(tag):
		return &ArgumentError{op, "the tag", tag, "a tag in 0..2147483647 or AnyTag"}
	}
	return nil
}

// Probe waits for a message that a Recv with these arguments would match and
// returns its status, without receiving it.
func Probe(c *Comm, src, tag int) (Status, error) {
	from, ok := c.from(src, tag)
	if !ok {
		return nobody(), c.checkRecv("probe", src, tag)
	}
	if !c.engine.Busy() {
		s, err := c.dev.Probe(from, int32(tag), c.context)
		return c.status(s), err
	}
	var s device.Status
	var found bool
	var err error
	c.engine.Until(func() bool {
		s, found, err = c.dev.Iprobe(from, int32(tag), c.context)
		return found || err != nil
	})
	return c.status(s), err
}

// Iprobe makes progress once and reports whether there is such a message.
func Iprobe(c *Comm, src, tag int) (Status, bool, error) {
	from, ok := c.from(src, tag)
	if !ok {
		err := c.checkRecv("probe", src, tag)
		return nobody(), err == nil, err
	}
	c.engine.Lock()
	if c.engine.Busy() {
		c.engine.Progress()
	}
	s, found, err := c.dev.Iprobe(from, int32(tag), c.context)
	c.engine.Unlock()
	if !found {
		return Status{}, false, err
	}
	return c.status(s), true, err
}
