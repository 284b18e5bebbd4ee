package comm

import (
	"fmt"

	"gobench/device"
)

// A mode is one of MPI's send modes.
type mode uint8

const (
	standard    mode = iota // may be buffered, or wait for the receiver
	synchronous             // completes once the receiver has matched
	ready                   // the receive is posted already
	buffered                // copied into the attached buffer
)

func (m mode) String() string { return [...]string{"send", "ssend", "rsend", "bsend"}[m] }

// Send sends data and waits until its memory may be reused. The receiver may not have matched the
// message by then.
func Send[T Type](c *Comm, data []T, dst, tag int) error { return c.send(raw(data), dst, tag) }

// Ssend sends data and waits until the receiver has matched the message.
func Ssend[T Type](c *Comm, data []T, dst, tag int) error {
	return c.sendAs(synchronous, raw(data), dst, tag)
}

// Rsend is a Send for which the caller guarantees that the receive is posted. No device uses this
// guarantee, so it is equal to Send.
func Rsend[T Type](c *Comm, data []T, dst, tag int) error {
	return c.sendAs(ready, raw(data), dst, tag)
}

// Bsend copies data into the attached buffer (AttachBuffer) and does not wait. It returns a
// *BufferError if there is no room.
func Bsend[T Type](c *Comm, data []T, dst, tag int) error {
	return c.sendAs(buffered, raw(data), dst, tag)
}

// Isend starts a Send. Until the request is complete, data must not be written.
func Isend[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.isend(standard, raw(data), dst, tag)
}

// Issend starts an Ssend.
func Issend[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.isend(synchronous, raw(data), dst, tag)
}

// Irsend starts an Rsend.
func Irsend[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.isend(ready, raw(data), dst, tag)
}

// Ibsend is a Bsend that returns a completed request.
func Ibsend[T Type](c *Comm, data []T, dst, tag int) (Request, error) {
	return c.isend(buffered, raw(data), dst, tag)
}

func (c *Comm) send(buf []byte, dst, tag int) error {
	if uint(dst) < uint(len(c.world)) && uint(tag) <= MaxTag && !c.engine.Busy() {
		return c.dev.Send(buf, c.world[dst], int32(tag), c.context)
	}
	return c.sendAs(standard, buf, dst, tag)
}

func (c *Comm) sendAs(m mode, buf []byte, dst, tag int) error {
	if m == synchronous && uint(dst) < uint(len(c.world)) && uint(tag) <= MaxTag && !c.engine.Busy() {
		return c.dev.Ssend(buf, c.world[dst], int32(tag), c.context)
	}
	r, err := c.isend(m, buf, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func (c *Comm) isend(m mode, buf []byte, dst, tag int) (Request, error) {
	if m == standard && uint(dst) < uint(len(c.world)) && uint(tag) <= MaxTag && !c.engine.Busy() {
		if c.now != nil && c.now.SendNow(buf, c.world[dst], int32(tag), c.context) {
			return Request{c: c}, nil
		}
		q, err := c.dev.Isend(buf, c.world[dst], int32(tag), c.context)
		if err != nil {
			return Request{}, err
		}
		return Request{c: c, id: uint64(q)}, nil
	}
	if uint(dst) >= uint(len(c.world)) || uint(tag) > MaxTag {
		return c.invalidOrNull(m, dst, tag)
	}
	var q device.Request
	var err error
	c.engine.Lock()
	switch m {
	case synchronous:
		q, err = c.dev.Issend(buf, c.world[dst], int32(tag), c.context)
	case buffered:
		err = c.attached.send(c, buf, c.world[dst], int32(tag)) // complete now: q stays 0
	default:
		q, err = c.dev.Isend(buf, c.world[dst], int32(tag), c.context)
	}
	c.engine.Unlock()
	if err != nil {
		return Request{}, err
	}
	return Request{c: c, id: uint64(q)}, nil
}

// invalidOrNull handles sends to ProcNull and reports argument errors.
func (c *Comm) invalidOrNull(m mode, dst, tag int) (Request, error) {
	if err := c.checkSend(m.String(), dst, tag); err != nil {
		return Request{}, err
	}
	return Request{c: c}, nil
}

// checkSend checks the destination and the tag of a send.
func (c *Comm) checkSend(op string, dst, tag int) error {
	switch {
	case c.world == nil:
		return ErrClosed
	case dst != ProcNull && uint(dst) >= uint(len(c.world)):
		return &ArgumentError{op, "the destination", dst, c.ranks() + " or ProcNull"}
	case uint(tag) > MaxTag:
		return &ArgumentError{op, "the tag", tag, "a tag in 0..2147483647"}
	}
	return nil
}

func (c *Comm) ranks() string { return fmt.Sprintf("a rank in 0..%d", len(c.world)-1) }
