package comm

import (
	"slices"

	"gobench/device"
)

// A batch starts the messages of several requests in one call of the device, and waits for them in
// one. Only the goroutine that owns the device uses it.
type batch struct {
	device.Batcher
	ops      []device.Operation
	requests []device.Request
	statuses []device.Status
	of       []batched
}

// batched is the request of a message in a batch.
type batched struct {
	c  *Comm
	at int // its index among all requests
}

// newBatch returns nil if the device starts messages one by one.
func newBatch(dev device.Device) *batch {
	if b, ok := dev.(device.Batcher); ok {
		return &batch{Batcher: b}
	}
	return nil
}

// together returns the batch of the device, or nil while operations on other requests have to be
// advanced, or other goroutines use the device.
func (c *Comm) together() *batch {
	if c == nil || c.job.batch == nil || c.engine.Busy() {
		return nil
	}
	return c.job.batch
}

// operation returns the operation of the device for a message of the communicator. It reports false
// for ProcNull and for invalid arguments.
func (c *Comm) operation(receives bool, buf []byte, peer, tag int) (o device.Operation, ok bool) {
	o = device.Operation{Buf: buf, Tag: int32(tag), Context: c.context, Receives: receives}
	if receives {
		o.Peer, ok = c.from(peer, tag)
	} else if ok = uint(peer) < uint(len(c.world)) && uint(tag) <= MaxTag; ok {
		o.Peer = c.world[peer]
	}
	return o, ok
}

// begin starts the operations in b.ops.
func (b *batch) begin(requests []device.Request) (int, error) {
	n, err := b.StartAll(b.ops, requests)
	clear(b.ops) // buffers belong to their requests alone
	b.ops = b.ops[:0]
	return n, err
}

// startTogether starts the first requests, up to one that needs more than an operation of the
// device, and returns their number.
func startTogether(requests []Request) (int, error) {
	if len(requests) == 0 {
		return 0, nil
	}
	b := requests[0].c.together()
	if b == nil {
		return 0, nil
	}
	for i := range requests {
		p, ok := requests[i].more.(*persistent)
		if !ok || p.started || p.c.job != requests[0].c.job || p.mode == synchronous || p.mode == buffered {
			break
		}
		o, ok := p.c.operation(!p.send, p.buf, p.peer, p.tag)
		if !ok {
			break
		}
		p.started = true // the same request again is active
		b.ops, b.requests = append(b.ops, o), append(b.requests, 0)
	}
	all := len(b.ops)
	n, err := b.begin(b.requests)
	for i := range all {
		p := requests[i].more.(*persistent)
		if p.started = i < n; p.started {
			p.under = Request{c: p.c, id: uint64(b.requests[i])}
		}
	}
	b.requests = b.requests[:0]
	return n, err
}

// waitTogether completes the first requests, up to one that is more than a request of the device,
// and returns their number. A *RequestError has the index of the first that failed.
func waitTogether(requests []Request, statuses []Status) (n int, failed error) {
	for n < len(requests) && requests[n].c == nil {
		n++
	}
	if n == len(requests) {
		return 0, nil
	}
	first := requests[n].c
	b := first.together()
	if b == nil {
		return 0, nil
	}
	for n = 0; n < len(requests); n++ {
		r := &requests[n]
		m := r
		p, lasts := r.more.(*persistent)
		if lasts {
			m = &p.under
		}
		if m.more != nil || m.c != nil && m.c.job != first.job {
			break
		}
		if m.c == nil || m.id == 0 {
			status, _ := r.Wait() // it is complete
			if statuses != nil {
				statuses[n] = status
			}
			continue
		}
		b.requests, b.of = append(b.requests, device.Request(m.id)), append(b.of, batched{m.c, n})
		if *m = (Request{}); lasts {
			p.started = false
		}
	}
	var under []device.Status
	if statuses != nil {
		b.statuses = slices.Grow(b.statuses[:0], len(b.requests))
		under = b.statuses[:len(b.requests)]
	}
	if i, err := b.WaitAll(b.requests, under); err != nil {
		failed = &RequestError{b.of[i].at, err}
	}
	for i := range under {
		statuses[b.of[i].at] = b.of[i].c.status(under[i])
	}
	b.requests, b.of = b.requests[:0], b.of[:0]
	return n, failed
}
