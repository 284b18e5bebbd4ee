package sockets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var (
	// errGone is returned by wait when the peer has closed its end or has died.
	errGone = errors.New("the peer is gone")
	// errBusy is returned by wait when polling found nothing.
	errBusy = errors.New("the peer is busy")

	errPipe = os.NewSyscallError("write", syscall.EPIPE)
	// errState reports a peer that has broken the rules.
	errState = fmt.Errorf("the peer has destroyed the shared state: %w", syscall.ECONNRESET)
)

// failure adds the connection to an error. A connection whose state is destroyed cannot be used
// again.
func (c *Conn) failure(op string, err error) error {
	if err == errState {
		c.broken.Store(true)
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// start is the origin of now.
var start = time.Now()

// now returns the time since the start of the process, at least 1.
func now() int64 { return int64(time.Since(start)) | 1 }

func (h *half) setDeadline(t time.Time) {
	at := int64(0)
	if !t.IsZero() {
		present := now()
		at = max(1, present+min(int64(time.Until(t)), math.MaxInt64-present))
	}
	h.deadline.Store(at)
	h.bell.conn.SetReadDeadline(t)
}

// check returns the reason for which an operation of this half must not go on.
func (c *Conn) check(h *half) error {
	if c.closed.Load() {
		return net.ErrClosed
	}
	if c.broken.Load() {
		return errState
	}
	if at := h.deadline.Load(); at != 0 && now() >= at {
		return os.ErrDeadlineExceeded
	}
	return nil
}

const (
	// morePolls is the number of polls between two readings of the clock.
	morePolls = 500
	// yieldEvery is the time between two offers of the processor to other goroutines. An offer
	// wakes another thread if there is an idle processor, and takes long for a goroutine that is
	// locked to its thread.
	yieldEvery = 20 * time.Microsecond
	// aliveEvery is the time between two questions to the kernel whether the peer is alive, while
	// this half polls: a peer that was killed leaves nothing in shared memory.
	aliveEvery = 10 * time.Millisecond
	// copyBudget is the time for which a writer polls while the reader copies.
	copyBudget = 2 * time.Millisecond
)

// A pollPolicy decides whether polling pays. It pays between two processes that answer immediately.
// It does not pay where a wait is rarely shorter than it takes to wake a thread: there polling
// takes the processor from the peer, or from other goroutines.
type pollPolicy struct {
	left int // waits for which to poll; each that is not short counts down
	rest int // waits without polling until the next trial
}

// Constants of pollPolicy, in waits.
const (
	trial     = 8   // length of a trial
	restShort = 64  // after one that failed, if waits are short enough that the peer may poll now
	restLong  = 128 // otherwise
	// shortShare is the share of Options.Poll up to which a wait is short.
	shortShare = 2
)

// polls reports whether to poll in the next wait.
func (h *pollPolicy) polls() bool {
	if h.left == 0 {
		if h.rest--; h.rest <= 0 {
			h.left = trial
		}
	}
	return h.left > 0
}

// waited records how long a wait was, which polled before it slept or did not.
func (h *pollPolicy) waited(took, poll time.Duration, polled bool) {
	switch {
	case polled && took <= poll/shortShare:
		h.left = trial
	case polled:
		if h.left--; h.left == 0 {
			h.rest = restLong
		}
	case took < poll && h.rest <= restLong-restShort:
		h.rest = 0
	}
}

// wait waits until the half is ready: it polls for a short time and then sleeps until the bell
// rings. It may return nil too early. Without sleep it returns errBusy instead. It also returns the
// errors of check, and errGone.
func (c *Conn) wait(h *half, sleep bool) error {
	begin, polled := int64(0), false
	if c.poll > 0 {
		for last, asked := int64(0), int64(0); ; {
			for range morePolls {
				if h.ready() {
					if begin != 0 {
						h.waited(time.Duration(now()-begin), c.poll, polled)
					}
					return nil
				}
			}
			at := now()
			budget := time.Duration(0)
			if begin == 0 {
				begin, last, asked, polled = at, at, at, h.polls()
			}
			if polled {
				budget = c.poll
			}
			if h == &c.writing && c.offerState.made {
				budget = c.poll
				if !c.offerState.parked {
					budget = min(budget, copyBudget)
				}
				if c.taking() {
					budget = max(budget, copyBudget)
				}
			}
			if at-begin >= int64(budget) {
				break
			}
			if err := c.check(h); err != nil || h.ended.Load() {
				return err
			}
			if at-asked >= int64(aliveEvery) {
				if asked = at; !h.bell.alive() {
					return errGone
				}
			}
			if at-last >= int64(yieldEvery) || c.single {
				runtime.Gosched()
				last = now()
			}
		}
	}
	if !sleep {
		if err := c.check(h); err != nil || h.ended.Load() {
			return err
		}
		return errBusy
	}
	h.sleeps.Announce(sleepsOnBell)
	if h.ready() {
		h.sleeps.Withdraw()
		return nil
	}
	err := h.bell.wait()
	h.sleeps.Withdraw()
	if c.poll > 0 {
		h.waited(time.Duration(now()-begin), c.poll, polled)
	}
	switch {
	case err == nil:
		return nil
	case c.closed.Load():
		return net.ErrClosed
	case err == os.ErrDeadlineExceeded:
		return c.check(h)
	}
	return errGone
}

// A bell wakes a sleeping peer: a Unix socket on which single bytes without meaning are sent. Go's
// network poller waits for them, so a sleeping goroutine holds no thread, and the kernel reports
// the end of the peer's process.
type bell struct {
	conn bellConn
	raw  syscall.RawConn
	buf  [64]byte
	dead atomic.Bool // the peer's end is closed

	send, peek func(fd uintptr) // the system calls of ring and alive, made once
	peeked     [1]byte
}

// bellConn is implemented by *net.UnixConn and *os.File.
type bellConn interface {
	io.ReadCloser
	syscall.Conn
	SetReadDeadline(time.Time) error
}

var oneByte = [1]byte{1}

func newBell(conn bellConn) (*bell, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	b := &bell{conn: conn, raw: raw}
	b.send = func(fd uintptr) {
		// A full socket holds bells that were not heard yet.
		if err := unix.Send(int(fd), oneByte[:], unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL); err == unix.EPIPE || err == unix.ECONNRESET {
			b.dead.Store(true)
		}
	}
	b.peek = func(fd uintptr) {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&b.peeked)), 1,
			unix.MSG_DONTWAIT|unix.MSG_PEEK, 0, 0)
		if errno == 0 && n == 0 || errno == unix.ECONNRESET {
			b.dead.Store(true)
		}
	}
	return b, nil
}

// ring wakes the peer. It does not block.
func (b *bell) ring() { b.raw.Control(b.send) }

// alive asks the kernel whether the peer's end is open.
func (b *bell) alive() bool {
	b.raw.Control(b.peek)
	return !b.dead.Load()
}

// wait blocks until the peer rings. The error is os.ErrDeadlineExceeded after the deadline of the
// bell, and another one when either end was closed.
func (b *bell) wait() error {
	_, err := b.conn.Read(b.buf[:])
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	b.dead.Store(true)
	return err
}

// interrupt ends the wait of a goroutine of this process.
func (b *bell) interrupt() { b.conn.SetReadDeadline(past) }

// past is a deadline that has passed.
var past = time.Unix(1, 0)
