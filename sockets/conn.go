package sockets

import (
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/blocking"
)

// A Conn is a stream connection through shared memory between two processes of a host, or within
// one. Its methods behave as the methods of *net.TCPConn and may be called concurrently.
type Conn struct {
	settings
	side          int // 0 = dialed, 1 = accepted
	pid           int // of the peer, 0 = not known
	mem           []byte
	in            consumer // of reading
	out           producer // of writing
	reading       half
	writing       half
	local, remote *net.TCPAddr
	closed        atomic.Bool
	broken        atomic.Bool // the peer has destroyed the shared state
	unmap         runtime.Cleanup

	acceptState acceptState // of reading
	offerState  offerState  // of writing
	copyCost    copyCost    // of writing
	writes      uint        // of writing: when the kernel is asked whether the peer is alive
}

// A half is one direction as seen from one side: who may use it, and how it waits.
type half struct {
	mu       sync.Mutex
	ended    atomic.Bool  // CloseRead or CloseWrite was called
	deadline atomic.Int64 // on the clock of now, 0 = none
	sleeps   *blocking.Word
	bell     *bell
	ready    func() bool
	pollPolicy
}

// newConn returns a connection over mem and bells, which it owns. The first bell rings for data,
// the second for room.
func newConn(side int, mem []byte, data, room *bell, s settings, pid int, local, remote *net.TCPAddr) *Conn {
	c := &Conn{settings: s, side: side, pid: pid, mem: mem, local: local, remote: remote}
	c.out, c.in = newProducer(mem, side), newConsumer(mem, 1-side)
	c.reading.sleeps, c.reading.bell, c.reading.ready = &c.in.readerSleeps, data, c.readable
	c.writing.sleeps, c.writing.bell, c.writing.ready = &c.out.writerSleeps, room, c.writable
	c.reading.left, c.writing.left = trial, trial
	c.unmap = runtime.AddCleanup(c, func(mem []byte) { unix.Munmap(mem) }, mem)
	return c
}

// chunk is the size in bytes of the pieces in which long data is copied, so that one side copies
// out of the ring while the other copies into it.
const chunk = 8 << 10

// Read implements net.Conn. It returns io.EOF when the peer has ended its direction, or has died
// with nothing unread, and ECONNRESET when it has died with something unread.
func (c *Conn) Read(b []byte) (int, error) {
	c.reading.mu.Lock()
	n, err := c.read(b)
	c.reading.mu.Unlock()
	if err != nil && err != io.EOF {
		err = c.failure("read", err)
	}
	return n, err
}

func (c *Conn) read(b []byte) (int, error) {
	gone := false
	for {
		if err := c.check(&c.reading); err != nil {
			return 0, err
		}
		switch {
		case c.reading.ended.Load():
			return 0, io.EOF
		case len(b) == 0:
			return 0, nil
		}
		fin := atomic.LoadUint64(&c.in.fin) != 0 // before the data that it follows
		switch n := c.in.held(); {
		case n < 0:
			return 0, errState
		case n > 0:
			return c.drain(b[:min(n, len(b))]), nil
		}
		if n, err := c.accept(b); n > 0 || err != nil {
			return n, err
		}
		switch {
		case fin:
			return 0, io.EOF
		case gone && atomic.LoadUint64(&c.out.tail) != atomic.LoadUint64(&c.out.head):
			return 0, os.NewSyscallError("read", syscall.ECONNRESET)
		case gone:
			return 0, io.EOF
		}
		switch err := c.wait(&c.reading, true); err {
		case nil:
		case errGone:
			gone = true // what it wrote before comes first
		default:
			return 0, err
		}
	}
}

// drain fills b from the ring, which holds as much, and wakes the writer when half of it is free.
func (c *Conn) drain(b []byte) int {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), chunk)
		c.in.get(rest[:n])
		rest = rest[n:]
		if c.in.writerSleeps.Asleep() && c.in.held() <= len(c.in.ring)/2 {
			c.wake(&c.in.writerSleeps, c.writing.bell)
		}
	}
	return len(b)
}

// Write implements net.Conn. It returns EPIPE when the peer has closed the connection or has died.
func (c *Conn) Write(b []byte) (int, error) {
	c.writing.mu.Lock()
	n, err := c.write(b)
	c.writing.mu.Unlock()
	if err != nil {
		err = c.failure("write", err)
	}
	return n, err
}

func (c *Conn) write(b []byte) (n int, err error) {
	if err := c.checkWrite(); err != nil {
		return 0, err
	}
	through := len(b) < c.direct || !c.reached() || c.copyCost.copies() // the ring, without an offer
	for copying := through; ; copying = through {
		if rest := b[n:]; !copying && len(rest) >= c.direct {
			k, code, err := c.offer(rest)
			n += k
			if err != nil || n == len(b) {
				return n, err
			}
			through = code != offerNone
		}
		room := c.out.room(len(b) - n)
		if room < 0 {
			return n, errState
		}
		n += c.timedFill(b[n:][:min(room, len(b)-n)])
		if n == len(b) {
			return n, nil
		}
		if err := c.wait(&c.writing, true); err == errGone {
			return n, errPipe
		} else if err != nil {
			return n, err
		}
		if err := c.checkWrite(); err != nil {
			return n, err
		}
	}
}

// TryWrite writes as much of b as there is room for now, without waiting.
func (c *Conn) TryWrite(b []byte) (n int, err error) {
	c.writing.mu.Lock()
	if err = c.checkWrite(); err == nil {
		room := c.out.room(len(b))
		if room < 0 {
			err = errState
		} else {
			n = c.fill(b[:min(room, len(b))])
		}
	}
	c.writing.mu.Unlock()
	if err != nil {
		err = c.failure("write", err)
	}
	return n, err
}

// Readable reports whether Read would return without waiting.
func (c *Conn) Readable() bool {
	c.reading.mu.Lock()
	defer c.reading.mu.Unlock()
	return c.check(&c.reading) != nil || c.reading.ended.Load() || c.readable() || c.reading.bell.dead.Load()
}

// checkEvery is the number of writes after which the kernel is asked whether the peer is alive.
const checkEvery = 64

// checkWrite returns the reason for which nothing can be written.
func (c *Conn) checkWrite() error {
	if err := c.check(&c.writing); err != nil {
		return err
	}
	if c.writing.ended.Load() || atomic.LoadUint64(&c.out.readerGone) != 0 || c.writing.bell.dead.Load() {
		return errPipe
	}
	if c.writes++; c.writes%checkEvery == 0 && !c.writing.bell.alive() {
		return errPipe
	}
	return nil
}

// fill writes all of b, for which there is room, to the ring.
func (c *Conn) fill(b []byte) int {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), chunk)
		c.out.put(rest[:n])
		rest = rest[n:]
		c.wake(&c.out.readerSleeps, c.reading.bell)
	}
	return len(b)
}

// wake rings the bell if the peer sleeps.
func (c *Conn) wake(sleeps *blocking.Word, b *bell) {
	if sleeps.Claim() != 0 {
		b.ring()
	}
}

// readable reports whether there is something to read.
func (c *Conn) readable() bool {
	f := c.in.flow
	return atomic.LoadUint64(&f.tail) != c.in.pos || atomic.LoadUint64(&f.offer)&offerCode == offerMade ||
		atomic.LoadUint64(&f.fin) != 0
}

// writable reports whether the reader has answered an offer, or there is room in the ring. An offer
// whose writer is not parked stands beside that room.
func (c *Conn) writable() bool {
	if atomic.LoadUint64(&c.out.readerGone) != 0 {
		return true
	}
	if c.offerState.made {
		code := atomic.LoadUint64(&c.out.offer) & offerCode
		if code != offerMade || !c.offerState.parked {
			return code != offerMade && code != offerTaken
		}
	}
	return c.out.pos-atomic.LoadUint64(&c.out.head) != uint64(len(c.out.ring))
}

// LocalAddr implements net.Conn. The port of the dialing side is a number of the connection.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn. The port of the dialing side is a number of the connection.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Close closes the connection. The peer can still read what was written.
func (c *Conn) Close() error {
	if !c.closed.CompareAndSwap(false, true) {
		return c.failure("close", net.ErrClosed)
	}
	atomic.StoreUint64(&c.out.fin, 1)
	atomic.StoreUint64(&c.in.readerGone, 1)
	c.reading.bell.conn.Close() // wakes sleepers of both sides
	c.writing.bell.conn.Close()
	c.reading.mu.Lock()
	defer c.reading.mu.Unlock()
	c.writing.mu.Lock()
	defer c.writing.mu.Unlock()
	c.unmap.Stop()
	return unix.Munmap(c.mem)
}

// CloseWrite ends the direction to the peer, which reads what was written and then io.EOF.
func (c *Conn) CloseWrite() error {
	c.writing.ended.Store(true)
	if !c.closed.Load() {
		c.writing.bell.interrupt()
	}
	c.writing.mu.Lock()
	defer c.writing.mu.Unlock()
	if c.closed.Load() {
		return c.failure("close", net.ErrClosed)
	}
	atomic.SwapUint64(&c.out.fin, 1)
	c.wake(&c.out.readerSleeps, c.reading.bell)
	return nil
}

// CloseRead ends reading: every Read returns io.EOF. The peer is not notified.
func (c *Conn) CloseRead() error {
	if c.closed.Load() {
		return c.failure("close", net.ErrClosed)
	}
	c.reading.ended.Store(true)
	c.reading.bell.interrupt()
	return nil
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(&c.reading, t) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(&c.writing, t) }

func (c *Conn) setDeadline(h *half, t time.Time) error {
	if c.closed.Load() {
		return c.failure("set", net.ErrClosed)
	}
	h.setDeadline(t)
	if h.ended.Load() {
		h.bell.interrupt()
	}
	return nil
}

// Options are settings of fast connections. The zero Options are the defaults.
type Options struct {
	// Buffer is the size in bytes of the ring of each direction, rounded up to a power of two, 4
	// KiB to 64 MiB. The dialing side decides. 0 = DefaultBuffer.
	Buffer int
	// Direct is the size in bytes from which the data of a Write need not be copied into the ring:
	// the reader copies it out of the writer's memory, if the kernel allows that, and unless the
	// ring has been faster, as between near cores. 0 = DefaultDirect, less than 0 = never.
	Direct int
	// Poll is the time for which a Read or Write polls before it sleeps, as long as waits are much
	// shorter; otherwise it sleeps almost immediately. 0 = DefaultPoll, less than 0 = no polling at
	// all.
	Poll time.Duration
}

// Defaults of Options, by measurement (docs/notes/sockets.md).
const (
	DefaultBuffer = 1 << 20
	DefaultDirect = 64 << 10
	DefaultPoll   = 50 * time.Microsecond
)

// settings are Options with the defaults filled in.
type settings struct {
	buffer int
	direct int
	poll   time.Duration
	// copyTimeout is the time for which a writer that must not wait still waits for a copy that the
	// reader has begun.
	copyTimeout time.Duration
	single      bool // one goroutine of this process runs at a time, and the peer may be another
}

func (o Options) settings() settings {
	s := settings{DefaultBuffer, DefaultDirect, DefaultPoll, time.Second, runtime.GOMAXPROCS(0) == 1}
	if o.Buffer > 0 {
		s.buffer = bufferSize(o.Buffer)
	}
	switch {
	case o.Direct > 0:
		s.direct = o.Direct
	case o.Direct < 0:
		s.direct = math.MaxInt
	}
	switch {
	case o.Poll > 0:
		s.poll = o.Poll
	case o.Poll < 0:
		s.poll = 0
	}
	if runtime.NumCPU() == 1 && o.Poll == 0 {
		s.poll = 0 // the peer needs the only processor
	}
	return s
}

// BufferSize returns the size of a ring in bytes, as it is rounded.
func (o Options) BufferSize() int { return o.settings().buffer }

// DirectSize returns the size in bytes from which data are not copied into the ring.
func (o Options) DirectSize() int { return o.settings().direct }
