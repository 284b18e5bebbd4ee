package comm

import "gobench/device"

// SendVector sends the elements of data that v selects as one contiguous message. Any receive of
// equally many elements can receive it.
func SendVector[T Type](c *Comm, data []T, v Vector, dst, tag int) error {
	r, err := IsendVector(c, data, v, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// RecvVector receives a message into the elements of data that v selects, and leaves the elements
// between them unchanged.
func RecvVector[T Type](c *Comm, data []T, v Vector, src, tag int) (Status, error) {
	r, err := IrecvVector(c, data, v, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// IsendVector starts a SendVector. Elements that are not contiguous are first copied to a buffer of
// the communicator.
func IsendVector[T Type](c *Comm, data []T, v Vector, dst, tag int) (Request, error) {
	if err := v.check("send", len(data)); err != nil {
		return Request{}, err
	}
	if v.contiguous() {
		return c.isend(standard, raw(data[:v.Len()]), dst, tag)
	}
	if err := c.checkSend("send", dst, tag); err != nil {
		return Request{}, err
	}
	return c.isendVector(raw(data), v.bytes(size[T]()), dst, tag)
}

// IrecvVector starts a RecvVector. The elements are copied to their places when the request
// completes.
func IrecvVector[T Type](c *Comm, data []T, v Vector, src, tag int) (Request, error) {
	if err := v.check("recv", len(data)); err != nil {
		return Request{}, err
	}
	if v.contiguous() {
		return c.irecv(raw(data[:v.Len()]), src, tag)
	}
	if err := c.checkRecv("recv", src, tag); err != nil {
		return Request{}, err
	}
	return c.irecvVector(raw(data), v.bytes(size[T]()), src, tag)
}

// strided implements deferred for a message that travels through a buffer of the pool. Records are
// reused; the generation distinguishes one use from the next.
type strided struct {
	c          *Comm
	generation uint64
	request    Request
	buffer     []byte
	data       []byte // where a received message goes; nil for a send
	layout     Vector // in bytes
}

func (c *Comm) isendVector(data []byte, v Vector, dst, tag int) (Request, error) {
	t := c.record(v)
	v.pack(t.buffer, data)
	r, err := c.isend(standard, t.buffer, dst, tag)
	return t.started(r, err)
}

func (c *Comm) irecvVector(data []byte, v Vector, src, tag int) (Request, error) {
	t := c.record(v)
	t.data = data
	r, err := c.irecv(t.buffer, src, tag)
	return t.started(r, err)
}

// record takes a record with a buffer for a pattern.
func (c *Comm) record(v Vector) *strided {
	c.engine.Lock()
	defer c.engine.Unlock()
	var t *strided
	p := &c.pool
	if n := len(p.records); n > 0 {
		t = p.records[n-1]
		p.records = p.records[:n-1]
	} else {
		t = &strided{c: c, generation: 1}
	}
	t.buffer, t.layout = p.take(v.Len()), v
	return t
}

func (t *strided) started(r Request, err error) (Request, error) {
	if err != nil {
		t.release()
		return Request{}, err
	}
	t.request = r
	return Request{c: t.c, more: t, id: t.generation}, nil
}

// release returns the record and its buffer to the pool.
func (t *strided) release() {
	t.c.engine.Lock()
	defer t.c.engine.Unlock()
	p := &t.c.pool
	p.give(t.buffer)
	t.generation++
	t.request, t.buffer, t.data = Request{}, nil, nil
	p.records = append(p.records, t)
}

func (t *strided) wait(id uint64) (Status, error) {
	if id != t.generation {
		return Status{}, device.ErrRequest
	}
	status, err := t.request.Wait()
	t.end(status)
	return status, err
}

func (t *strided) test(id uint64) (Status, bool, error) {
	if id != t.generation {
		return Status{}, false, device.ErrRequest
	}
	status, done, err := t.request.Test()
	if done || err != nil {
		t.end(status)
	}
	return status, done, err
}

// end copies the received bytes to the pattern: after an error s.Bytes is 0, unless the message was
// too long.
func (t *strided) end(s Status) {
	if t.data != nil && !s.Cancelled {
		t.layout.unpack(t.data, t.buffer[:min(s.Bytes, len(t.buffer))])
	}
	t.release()
}

func (t *strided) cancel(id uint64) error {
	if id != t.generation {
		return device.ErrRequest
	}
	return t.request.Cancel()
}

func (t *strided) active() bool { return true }
func (t *strided) lasts() bool  { return false }
