package benchtest

import (
	"gobench/device"
	"gobench/internal/bench/clock"
)

// A Channel is one rank of a Net. It is stricter than level raw: messages of a pair arrive in
// order, without wildcards, and the tag and context of a receive must be those of the next message.
type Channel struct {
	net      *Net
	rank     int
	time     int64
	requests []request
	released []int // indices of requests that can be reused
	posted   [][]device.Request
	measured int // distances measured so far
	closed   bool
}

type request struct {
	live, done   bool
	buf          []byte
	src          int // -1 for a send
	tag, context int32
	status       device.Status
	err          error
}

// Now advances this rank's clock by the cost of a reading and returns its time.
func (c *Channel) Now() int64 {
	c.time += c.net.ClockCost
	t := c.time
	if c.net.Clocks != nil {
		t = c.net.Clocks(c.rank, t)
	}
	if r := c.net.Resolution; r > 1 {
		return t / r * r
	}
	return t
}

// Compute advances this rank's clock.
func (c *Channel) Compute(ns int64) { c.time += ns }

// Timer returns the properties of the clock without a calibration.
func (c *Channel) Timer() clock.Timer { return c.net.timer() }

func (c *Channel) Rank() int { return c.rank }
func (c *Channel) Size() int { return c.net.Ranks }

func (c *Channel) Info() device.Info {
	return device.Info{Transport: "simulated", Ranks: "goroutine", Quick: c.net.Quick, Path: func(int, device.Traffic) string { return "copied" }}
}

func (c *Channel) check(name string, peer int) error {
	if c.closed {
		return device.ErrClosed
	}
	if peer < 0 || peer >= c.net.Ranks {
		return &device.ArgumentError{Name: name, Value: peer, Want: "a rank"}
	}
	return nil
}

func (c *Channel) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := c.check("destination", dst); err != nil {
		return 0, err
	}
	c.time += c.net.Overhead
	c.net.put(c.rank, dst, buf, tag, context, c.time)
	return c.start(request{live: true, done: true, src: -1}), nil
}

func (c *Channel) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := c.check("source", src); err != nil {
		return 0, err
	}
	r := c.start(request{live: true, buf: buf, src: src, tag: tag, context: context})
	c.posted[src] = append(c.posted[src], r)
	return r, nil
}

func (c *Channel) start(r request) device.Request {
	if n := len(c.released); n > 0 {
		i := c.released[n-1]
		c.released = c.released[:n-1]
		c.requests[i] = r
		return device.Request(i + 1)
	}
	c.requests = append(c.requests, r)
	return device.Request(len(c.requests))
}

func (c *Channel) Send(buf []byte, dst int, tag, context int32) error {
	r, err := c.Isend(buf, dst, tag, context)
	if err != nil {
		return err
	}
	_, err = c.Wait(r)
	return err
}

func (c *Channel) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	r, err := c.Irecv(buf, src, tag, context)
	if err != nil {
		return device.Status{}, err
	}
	return c.Wait(r)
}

// Wait completes receives from the same source in the order in which they were posted.
func (c *Channel) Wait(r device.Request) (device.Status, error) {
	i := int(r) - 1
	if i < 0 || i >= len(c.requests) || !c.requests[i].live {
		return device.Status{}, device.ErrRequest
	}
	for !c.requests[i].done {
		c.receive(c.requests[i].src)
	}
	q := &c.requests[i]
	q.live = false
	c.released = append(c.released, i)
	return q.status, q.err
}

// receive completes the oldest receive posted for src.
func (c *Channel) receive(src int) {
	list := c.posted[src]
	q := &c.requests[int(list[0])-1]
	c.posted[src] = append(list[:0], list[1:]...)
	size, arrival, err := c.net.take(src, c.rank, q.buf, q.tag, q.context)
	c.time = max(c.time, arrival) + c.net.Overhead
	q.status = device.Status{Source: src, Tag: q.tag, Size: size}
	q.done, q.err = true, err
}

// Test waits: on a simulated clock, repeated tests cost nothing.
func (c *Channel) Test(r device.Request) (device.Status, bool, error) {
	s, err := c.Wait(r)
	return s, true, err
}

func (c *Channel) Close() error {
	c.closed = true
	c.net.Lose(c.rank)
	return nil
}

// CoreLatency implements device.CoreLatencyMeter with the values of the test.
func (c *Channel) CoreLatency(peer, line, rounds int) (float64, error) {
	if c.net.Between != nil {
		return c.net.Between(c.rank, peer), nil
	}
	if c.net.Distances == nil {
		return 0, nil
	}
	c.measured++
	return c.net.Distances(c.measured - 1), nil
}
