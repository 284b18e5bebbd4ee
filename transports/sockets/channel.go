package sockets

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"gobench/device"
	"gobench/internal/blocking"
	"gobench/sockets"
)

// channel is the device.Channel of one rank: a stream for each peer.
type channel struct {
	settings   settings
	options    map[string]string
	rank       int
	peers      []*peer // by rank; nil for this one
	hosts      []int   // by rank
	goroutines bool    // all ranks are in this process
	closed     bool
	watched    []*watched
	unwatch    chan struct{} // ends watchHosts; nil: it does not run
	watching   sync.WaitGroup

	interrupted atomic.Pointer[device.InterruptedError] // nil until Interrupt
	ending      sync.Mutex
	ended       bool // the descriptors of the streams are closed; guarded by ending

	requests []*request
	idle     []*request
	nothing  [2][1]byte // messages of 0 bytes on their way out and in
}

var (
	_ device.Channel     = (*channel)(nil)
	_ device.Interrupter = (*channel)(nil)
)

// Interrupt implements device.Interrupter: deadlines that have passed end all reads and writes.
func (c *channel) Interrupt(cause error) {
	if !c.interrupted.CompareAndSwap(nil, &device.InterruptedError{Rank: -1, Cause: cause}) {
		return
	}
	c.ending.Lock()
	defer c.ending.Unlock()
	for _, p := range c.peers {
		if p != nil && !c.ended {
			p.stream.SetDeadline(time.Unix(1, 0))
		}
	}
}

// A peer is another rank.
type peer struct {
	rank    int
	of      *channel
	stream  stream
	channel string        // by which way its data go
	posted  []*request    // receives in order
	sends   chan *request // of the writer: what TryWrite has left
	pending atomic.Int64  // sends that the writer has not finished
	written chan struct{} // closed when the writer has ended
	err     atomic.Pointer[device.PeerError]
}

// queued is the number of sends that the writer of a peer may have before it.
const queued = 1024

// request is a non-blocking operation.
type request struct {
	handle device.Request
	live   bool
	peer   *peer
	buf    []byte
	recv   bool
	done   atomic.Bool
	err    error
	status device.Status
}

const slotBits = 20 // of a handle: the place of the request; above them a count

// take returns an unused request. Requests are used again, so that only new numbers of them
// allocate.
func (c *channel) take(p *peer, buf []byte, recv bool, tag int32) *request {
	if len(c.idle) == 0 {
		r := &request{handle: device.Request(len(c.requests))}
		c.requests = append(c.requests, r)
		c.idle = append(c.idle, r)
	}
	r := c.idle[len(c.idle)-1]
	c.idle = c.idle[:len(c.idle)-1]
	r.handle += 1 << slotBits
	r.live, r.peer, r.buf, r.recv, r.err = true, p, buf, recv, nil
	r.status = device.Status{Source: p.rank, Tag: tag, Size: len(buf)}
	if !recv {
		r.status.Source = c.rank
	}
	r.done.Store(false)
	return r
}

func (c *channel) find(h device.Request) (*request, error) {
	at := h & (1<<slotBits - 1)
	if uint64(at) >= uint64(len(c.requests)) || !c.requests[at].live || c.requests[at].handle != h {
		return nil, device.ErrRequest
	}
	return c.requests[at], nil
}

func (c *channel) release(r *request) (device.Status, error) {
	r.live, r.buf = false, nil
	c.idle = append(c.idle, r)
	return r.status, r.err
}

func (c *channel) Rank() int { return c.rank }
func (c *channel) Size() int { return len(c.peers) }

// other returns another rank, or the error of the argument.
func (c *channel) other(what string, rank int, tag int32) (*peer, error) {
	switch {
	case c.closed:
		return nil, device.ErrClosed
	case uint(rank) >= uint(len(c.peers)) || rank == c.rank:
		return nil, &device.ArgumentError{Name: what, Value: rank, Want: "another rank at level socket"}
	case tag < 0:
		return nil, &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
	}
	return c.peers[rank], nil
}

// Directions of messages.
const (
	outward = iota
	inward
)

// bytes returns the bytes that travel for a message.
func (c *channel) bytes(buf []byte, direction int) []byte {
	if len(buf) == 0 {
		return c.nothing[direction][:]
	}
	return buf
}

// Send is a blocking write.
func (c *channel) Send(buf []byte, dst int, tag, context int32) error {
	p, err := c.other("destination", dst, tag)
	if err != nil {
		return err
	}
	if p.pending.Load() > 0 {
		r := c.start(p, buf, tag)
		_, err := c.finish(r)
		return err
	}
	if _, err := p.stream.Write(c.bytes(buf, outward)); err != nil {
		return p.fail(err)
	}
	return nil
}

// Isend writes as much as there is room for. The writer of the peer writes the rest.
func (c *channel) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	p, err := c.other("destination", dst, tag)
	if err != nil {
		return 0, err
	}
	return c.start(p, buf, tag).handle, nil
}

func (c *channel) start(p *peer, buf []byte, tag int32) *request {
	r := c.take(p, buf, false, tag)
	rest := c.bytes(buf, outward)
	if p.pending.Load() == 0 {
		n, err := p.stream.TryWrite(rest)
		if err != nil {
			r.err = p.fail(err)
		}
		if rest = rest[n:]; err != nil || len(rest) == 0 {
			r.done.Store(true)
			return r
		}
	}
	r.buf = rest
	p.pending.Add(1)
	for turn := 0; ; {
		select {
		case p.sends <- r:
			return r
		default:
			turn = c.await(turn) // the peer may wait for this rank to read
		}
	}
}

// write is the goroutine that completes sends to a peer.
func (p *peer) write() {
	defer close(p.written)
	for r := range p.sends {
		if lost := p.err.Load(); lost != nil {
			r.err = lost
		} else if _, err := p.stream.Write(r.buf); err != nil {
			r.err = p.fail(err)
		}
		p.pending.Add(-1)
		r.done.Store(true)
	}
}

// Irecv notes the buffer. The data are read in Wait and Test, in the order of the receives.
func (c *channel) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	p, err := c.other("source", src, tag)
	if err != nil {
		return 0, err
	}
	r := c.take(p, buf, true, tag)
	p.posted = append(p.posted, r)
	return r.handle, nil
}

// Recv is a blocking read of as many bytes as buf has.
func (c *channel) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	p, err := c.other("source", src, tag)
	if err != nil {
		return device.Status{}, err
	}
	if len(p.posted) > 0 {
		r := c.take(p, buf, true, tag)
		p.posted = append(p.posted, r)
		return c.finish(r)
	}
	if err := p.fill(c.bytes(buf, inward)); err != nil {
		return device.Status{}, err
	}
	return device.Status{Source: src, Tag: tag, Size: len(buf)}, nil
}

// fill reads all of b.
func (p *peer) fill(b []byte) error {
	for n := 0; n < len(b); {
		k, err := p.stream.Read(b[n:])
		if err != nil {
			return p.fail(err)
		}
		n += k
	}
	return nil
}

// next completes the first receive from a peer.
func (c *channel) next(p *peer) {
	r := p.posted[0]
	p.posted = p.posted[:copy(p.posted, p.posted[1:])]
	r.err = p.fill(c.bytes(r.buf, inward))
	r.done.Store(true)
}

// progress completes receives whose messages have begun to arrive, and reports whether there were
// any.
func (c *channel) progress() (did bool) {
	for _, p := range c.peers {
		if p != nil && len(p.posted) > 0 && (p.stream.Readable() || c.interrupted.Load() != nil) {
			c.next(p)
			did = true
		}
	}
	return did
}

// await makes progress once while this rank waits for a writer, and yields or sleeps if there was
// none. It takes and returns the number of such polls in succession.
func (c *channel) await(turn int) int {
	if c.progress() {
		return 0
	}
	blocking.Yield(true)
	pause(turn, 1)
	return turn + 1
}

// Wait blocks in the reads that the request needs.
func (c *channel) Wait(h device.Request) (device.Status, error) {
	r, err := c.find(h)
	if err != nil {
		return device.Status{}, err
	}
	return c.finish(r)
}

func (c *channel) finish(r *request) (device.Status, error) {
	for turn := 0; !r.done.Load(); {
		if r.recv {
			c.next(r.peer)
		} else {
			turn = c.await(turn)
		}
	}
	return c.release(r)
}

// Test reads only if a message has begun to arrive.
func (c *channel) Test(h device.Request) (device.Status, bool, error) {
	r, err := c.find(h)
	if err != nil {
		return device.Status{}, false, err
	}
	if !r.done.Load() && !c.progress() {
		runtime.Gosched() // the writer
	}
	if !r.done.Load() {
		return device.Status{}, false, nil
	}
	st, err := c.release(r)
	return st, true, err
}

// fail returns the error of a stream.
func (p *peer) fail(err error) error {
	if e := p.of.interrupted.Load(); e != nil {
		return &device.InterruptedError{Rank: p.rank, Cause: e.Cause}
	}
	cause := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		cause = "it has closed the connection, or its process has ended"
	}
	p.err.CompareAndSwap(nil, &device.PeerError{Rank: p.rank, Cause: cause})
	return p.err.Load()
}

// flushBound bounds the time in which Close completes sends. Tests shorten it.
var flushBound = 2 * time.Second

// Close completes sends, and closes all streams.
func (c *channel) Close() error {
	if c.closed {
		return device.ErrClosed
	}
	c.closed = true
	if c.unwatch != nil {
		close(c.unwatch)
		c.watching.Wait()
	}
	var errs []error
	for _, p := range c.peers {
		if p == nil {
			continue
		}
		close(p.sends)
		select {
		case <-p.written:
		case <-time.After(flushBound): // the peer does not read
			errs = append(errs, p.fail(fmt.Errorf("it has not taken all messages within %v", flushBound)))
			p.stream.SetDeadline(time.Unix(1, 0))
			<-p.written
		}
	}
	c.ending.Lock()
	defer c.ending.Unlock()
	c.ended = true
	for _, p := range c.peers {
		if p != nil {
			errs = append(errs, p.stream.Close())
		}
	}
	return errors.Join(errs...)
}

// Info describes the streams.
func (c *channel) Info() device.Info {
	i := device.Info{Transport: name, Options: c.options, Ranks: "process", Quick: c.settings.family == familyFast, Path: c.path}
	if c.goroutines {
		i.Ranks = "goroutine"
	}
	if c.settings.family == familyFast {
		i.MemoryPerPair = 2 * int64(c.settings.options.BufferSize())
		i.Options["buffer"] = fmt.Sprint(c.settings.options.BufferSize())
		if i.Options["direct"] = fmt.Sprint(c.settings.options.DirectSize()); c.settings.options.Direct < 0 {
			i.Options["direct"] = "0" // as it was asked for
		}
	}
	var slow []string
	for _, p := range c.peers {
		if p != nil && c.settings.family == familyFast && p.channel != "memory" && c.hosts[p.rank] == c.hosts[c.rank] {
			slow = append(slow, fmt.Sprintf("rank %d of this host (%s)", p.rank, p.channel))
		}
	}
	if slow != nil {
		i.Warnings = append(i.Warnings, "fast sockets share no memory with "+strings.Join(slow, ", "))
	}
	return i
}

// path names the way of a message to the partner of IMB-P2P.
func (c *channel) path(size int, _ device.Traffic) string {
	p := c.peers[(c.rank+len(c.peers)/2)%len(c.peers)]
	switch {
	case p == nil || p.channel != "memory":
		return "stream"
	case p.stream.(*sockets.Conn).Lends(size):
		return "direct"
	}
	return "ring"
}
