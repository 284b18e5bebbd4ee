package comm

// persistent implements deferred for persistent requests.
type persistent struct {
	c         *Comm
	mode      mode
	send      bool
	buf       []byte
	peer, tag int
	under     Request // the message in progress; null if inactive
	started   bool
}

// SendInit creates a persistent request for a Send. It is inactive until Start. Each Start sends
// the current content of data, which the request owns while it is active.
func SendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(standard, raw(data), dst, tag)
}

// SsendInit creates a persistent request for an Ssend.
func SsendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(synchronous, raw(data), dst, tag)
}

// RsendInit creates a persistent request for an Rsend.
func RsendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(ready, raw(data), dst, tag)
}

// BsendInit creates a persistent request for a Bsend.
func BsendInit[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.sendInit(buffered, raw(data), dst, tag)
}

// RecvInit creates a persistent request for a Recv.
func RecvInit[T Type](c *Comm, data []T, src, tag int) (Request, error) {
	if err := c.checkRecv("recv", src, tag); err != nil {
		return Request{}, err
	}
	return Request{c: c, more: &persistent{c: c, buf: raw(data), peer: src, tag: tag}}, nil
}

func (c *Comm) sendInit(m mode, buf []byte, dst, tag int) (Request, error) {
	if err := c.checkSend(m.String(), dst, tag); err != nil {
		return Request{}, err
	}
	return Request{c: c, more: &persistent{c: c, mode: m, send: true, buf: buf, peer: dst, tag: tag}}, nil
}

// Start starts a persistent request. When it completes, it becomes inactive and can be started
// again. An inactive request needs no release.
func (r *Request) Start() error {
	p, ok := r.more.(*persistent)
	switch {
	case !ok:
		return ErrNotPersistent
	case p.started:
		return ErrActive
	}
	var err error
	if p.send {
		p.under, err = p.c.isend(p.mode, p.buf, p.peer, p.tag)
	} else {
		p.under, err = p.c.irecv(p.buf, p.peer, p.tag)
	}
	p.started = err == nil
	return err
}

// StartAll starts persistent requests in order. It stops at the first that cannot be started, and
// returns a *RequestError with its index.
func StartAll(requests []Request) error {
	for i := range requests {
		if err := requests[i].Start(); err != nil {
			return &RequestError{i, err}
		}
	}
	return nil
}

func (p *persistent) wait(uint64) (Status, error) {
	if !p.started {
		return nothing(), nil
	}
	p.started = false
	return p.under.Wait()
}

func (p *persistent) test(uint64) (Status, bool, error) {
	if !p.started {
		return nothing(), true, nil
	}
	status, done, err := p.under.Test()
	p.started = !done && err == nil
	return status, done, err
}

func (p *persistent) cancel(uint64) error { return p.under.Cancel() }
func (p *persistent) active() bool        { return p.started }
func (p *persistent) lasts() bool         { return true }
