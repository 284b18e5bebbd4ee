package sockets

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	// errGone is returned by wait when the peer has closed its end or has died.
	errGone = errors.New("the peer is gone")
	// errBusy is returned by wait when polling was in vain.
	errBusy = errors.New("the peer is busy")

	errPipe = os.NewSyscallError("write", syscall.EPIPE)
	// errState reports a peer that has broken the rules.
	errState = fmt.Errorf("the peer has destroyed the shared state: %w", syscall.ECONNRESET)
)

// failure adds the connection to an error. A connection whose state is destroyed cannot be used again.
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
		at = max(1, now()+int64(time.Until(t)))
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
	// The processor is offered to other goroutines after twice the time that this took before, within
	// these bounds: it takes 0.1 us where there are none, and 10 us for a goroutine that is locked to
	// its thread.
	yieldFirst = time.Microsecond
	yieldLast  = 20 * time.Microsecond
	// copyBudget is the time for which a writer polls while the reader copies.
	copyBudget = 2 * time.Millisecond
)

// leastBudget is the share of Options.Poll that remains if polling is always in vain.
const leastBudget = 16

// wait waits until the half is ready: it polls for a short time, gives other goroutines the processor
// meanwhile, and then sleeps until the bell rings. It may return nil too early. Without sleep it
// returns errBusy instead. Other errors are those of check and errGone.
func (c *Conn) wait(h *half, sleep bool) error {
	if c.poll > 0 {
		for begin, last := int64(0), int64(0); ; {
			for range morePolls {
				if h.ready() {
					return nil
				}
			}
			at := now()
			if begin == 0 {
				begin, last = at, at
			}
			budget := h.budget
			if h == &c.writing && c.loan.made && c.taking() {
				budget = max(budget, copyBudget)
			}
			if at-begin >= int64(budget) {
				break
			}
			if err := c.check(h); err != nil || h.ended.Load() {
				return err
			}
			if at-last >= int64(h.yield) || c.single {
				runtime.Gosched()
				last = now()
				h.yield = min(max(2*time.Duration(last-at), yieldFirst), yieldLast)
			}
		}
	}
	if !sleep {
		return errBusy
	}
	atomic.StoreUint64(h.sleeps, 1)
	if h.ready() {
		atomic.StoreUint64(h.sleeps, 0)
		return nil
	}
	begin := now()
	err := h.bell.wait()
	atomic.StoreUint64(h.sleeps, 0)
	// The next wait is likely to be as long as this one.
	if slept := time.Duration(now() - begin); slept < c.poll {
		h.budget = c.poll
	} else {
		h.budget = max(h.budget/2, c.poll/leastBudget)
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
