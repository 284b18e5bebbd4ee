package comm

import (
	"cmp"
	"slices"

	"gobench/device"
)

// A Channel is a communicator with the interface of a device, so that the same benchmark can
// measure devices and communicators.
type Channel interface {
	device.Channel
	// Ssend, Probe and Cancel work as in a device.
	Ssend(buf []byte, dst int, tag, context int32) error
	Probe(src int, tag, context int32) (device.Status, error)
	Cancel(device.Request) error
	// Comm returns the communicator that carries context 0.
	Comm() *Comm
	// Alloc and Free call those of the device.
	Alloc(n int) ([]byte, error)
	Free([]byte) error
}

// NewChannel creates a Channel over c, collectively. Messages in context 0 use c, those in context
// 1 a duplicate of it; other contexts are errors. The channel takes ownership of the device: Close
// closes the communicators and the device. It is a device.CoreLatencyMeter if the device is one and
// has the same ranks, or else a device.Batcher if the device is one.
func NewChannel(c *Comm) (Channel, error) {
	control, err := c.Dup()
	if err != nil {
		return nil, err
	}
	ch := &channel{comms: [2]*Comm{c, control}}
	if d, ok := c.dev.(device.CoreLatencyMeter); ok && c.local == nil {
		return &distanceChannel{ch, d}, nil
	}
	if c.job.batch != nil {
		return &batchChannel{ch, batches{ch}}, nil
	}
	return ch, nil
}

// channel holds the communicator of each context, nil for a context that it does not carry.
type channel struct {
	comms [2]*Comm
	sent  int // requests complete that are not released
}

// complete is the request of all sends that were complete when Isend returned.
const complete = ^device.Request(0)

// distanceChannel is the channel over a device that is a device.CoreLatencyMeter.
type distanceChannel struct {
	*channel
	device.CoreLatencyMeter
}

func (ch *channel) Comm() *Comm       { return ch.comms[0] }
func (ch *channel) Rank() int         { return ch.comms[0].Rank() }
func (ch *channel) Size() int         { return ch.comms[0].Size() }
func (ch *channel) Info() device.Info { return ch.comms[0].dev.Info() }

// Multiple implements bench.Multiplexer by Comm.Multiple.
func (ch *channel) Multiple(on bool) error { return ch.comms[0].Multiple(on) }

func (ch *channel) Alloc(n int) ([]byte, error) {
	c := ch.comms[0]
	c.engine.Lock()
	defer c.engine.Unlock()
	return c.dev.Alloc(n)
}

func (ch *channel) Free(b []byte) error {
	c := ch.comms[0]
	c.engine.Lock()
	defer c.engine.Unlock()
	return c.dev.Free(b)
}

// in returns the communicator of a context.
func (ch *channel) in(context int32) (*Comm, error) {
	if uint32(context) >= uint32(len(ch.comms)) || ch.comms[context] == nil {
		return nil, &device.ArgumentError{Name: "context", Value: int(context), Want: "0, or 1 if the channel is no group"}
	}
	return ch.comms[context], nil
}

func (ch *channel) Send(buf []byte, dst int, tag, context int32) error {
	c, err := ch.in(context)
	if err != nil {
		return err
	}
	return Send(c, buf, dst, int(tag))
}

func (ch *channel) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	c, err := ch.in(context)
	if err != nil {
		return device.Status{}, err
	}
	s, err := Recv(c, buf, src, int(tag))
	return s.device(), err
}

func (ch *channel) Ssend(buf []byte, dst int, tag, context int32) error {
	c, err := ch.in(context)
	if err != nil {
		return err
	}
	return Ssend(c, buf, dst, int(tag))
}

func (ch *channel) Probe(src int, tag, context int32) (device.Status, error) {
	c, err := ch.in(context)
	if err != nil {
		return device.Status{}, err
	}
	s, err := Probe(c, src, int(tag))
	return s.device(), err
}

func (ch *channel) Cancel(q device.Request) error {
	r := ch.request(q)
	return r.Cancel()
}

func (ch *channel) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	c, err := ch.in(context)
	if err != nil {
		return 0, err
	}
	r, err := Isend(c, buf, dst, int(tag))
	if err == nil && r.id == 0 {
		ch.sent++
		return complete, nil
	}
	return device.Request(r.id), err
}

func (ch *channel) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	c, err := ch.in(context)
	if err != nil {
		return 0, err
	}
	r, err := Irecv(c, buf, src, int(tag))
	return device.Request(r.id), err
}

// request converts a request of the device to one of the communicator. The duplicate has the same
// ranks, so either communicator can complete it.
func (ch *channel) request(q device.Request) Request { return Request{c: ch.comms[0], id: uint64(q)} }

func (ch *channel) Wait(q device.Request) (device.Status, error) {
	if q == complete && ch.sent > 0 {
		ch.sent--
		return device.Status{}, nil
	}
	if q == 0 {
		return device.Status{}, device.ErrRequest
	}
	s, err := ch.comms[0].wait(q)
	return s.device(), err
}

func (ch *channel) Test(q device.Request) (device.Status, bool, error) {
	if q == complete && ch.sent > 0 {
		ch.sent--
		return device.Status{}, true, nil
	}
	if q == 0 {
		return device.Status{}, false, device.ErrRequest
	}
	r := ch.request(q)
	s, done, err := r.Test()
	return s.device(), done, err
}

// Close closes the communicators and then the device.
func (ch *channel) Close() error {
	err := ch.comms[1].Close()
	err = cmp.Or(err, ch.comms[0].Close())
	if e := ch.comms[0].closeDevice(); err == nil {
		err = e
	}
	return err
}

func (s Status) device() device.Status {
	return device.Status{Source: s.Source, Tag: int32(s.Tag), Size: s.Bytes, Cancelled: s.Cancelled}
}

// Group divides the ranks of a channel, collectively: those with the same color get a channel over
// a communicator of their own, ordered by key (Split). It carries only context 0. Closing it
// leaves the device open. A rank with a negative color gets nil.
func (ch *channel) Group(color, key int) (device.Channel, error) {
	c, err := ch.comms[0].Split(color, key)
	if err != nil || c == nil {
		return nil, err
	}
	g := &groupChannel{&channel{comms: [2]*Comm{c}}}
	if c.job.batch != nil {
		return &batchGroup{g, batches{g.channel}}, nil
	}
	return g, nil
}

type groupChannel struct{ *channel }

// Close closes the communicator, not the device.
func (g *groupChannel) Close() error { return g.comms[0].Close() }

// batchChannel is the channel over a device that is a device.Batcher, batchGroup that of a group.
type batchChannel struct {
	*channel
	batches
}

type batchGroup struct {
	*groupChannel
	batches
}

// batches implements device.Batcher for a channel.
type batches struct{ over *channel }

func (c batches) StartAll(ops []device.Operation, requests []device.Request) (started int, err error) {
	ch := c.over
	if b := ch.comms[0].together(); b != nil {
		for i := range ops {
			c, err := ch.in(ops[i].Context)
			if err != nil {
				break
			}
			o, ok := c.operation(ops[i].Receives, ops[i].Buf, ops[i].Peer, int(ops[i].Tag))
			if !ok {
				break
			}
			b.ops = append(b.ops, o)
		}
		if started, err = b.begin(requests); err != nil {
			return started, err
		}
	}
	n, err := device.StartEach(ch, ops[started:], requests[started:])
	return started + n, err
}

func (c batches) WaitAll(requests []device.Request, statuses []device.Status) (failed int, err error) {
	all := c.over.comms[0]
	b := all.together()
	if b == nil || slices.Contains(requests, complete) {
		return device.WaitEach(c.over, requests, statuses)
	}
	failed, err = b.WaitAll(requests, statuses)
	for i := range statuses {
		statuses[i] = all.status(statuses[i]).device()
	}
	return failed, err
}
