package tcp

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// door lets the higher ranks of the job in and nobody else. Every caller is
// greeted in a goroutine of its own with a deadline, so that one that says
// nothing, or says it slowly, holds nobody up; and when too many stand there,
// the one that has stood longest is sent away.
type door struct {
	set       settings
	rank      int
	size      int
	secret    *secret
	listeners []net.Listener

	mu      sync.Mutex
	in      [][]*net.TCPConn // by rank and index
	missing int
	full    chan struct{} // closed when missing is 0
	shut    bool
	callers []net.Conn // being greeted, oldest first
	refused int
	last    *RefusedError
	work    sync.WaitGroup
}

// RefusedError says why a connection was not let into the job.
type RefusedError struct {
	Address string // of the caller
	Reason  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused a connection from %s: %s", e.Address, e.Reason)
}

// maxCallers is how many may be greeted at once beside the ranks that are to come.
const maxCallers = 256

func openDoor(set settings, rank, size int, s *secret, listeners []net.Listener) *door {
	d := &door{set: set, rank: rank, size: size, secret: s, listeners: listeners,
		in: make([][]*net.TCPConn, size), missing: (size - 1 - rank) * set.connections, full: make(chan struct{})}
	for i := rank + 1; i < size; i++ {
		d.in[i] = make([]*net.TCPConn, set.connections)
	}
	if d.missing == 0 {
		close(d.full)
	}
	for _, l := range listeners {
		d.work.Add(1)
		go d.accept(l)
	}
	return d
}

func (d *door) accept(l net.Listener) {
	defer d.work.Done()
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as no file descriptor left: it may pass
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if d.let(c) {
			d.work.Add(1)
			go d.greet(c.(*net.TCPConn))
		}
	}
}

// let notes a caller, unless the door is shut.
func (d *door) let(c net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		c.Close()
		return false
	}
	d.callers = append(d.callers, c)
	if len(d.callers) > maxCallers+d.size {
		d.callers[0].Close() // its goroutine takes it off the list
		d.callers = d.callers[1:]
	}
	return true
}

// greet shakes hands with one caller.
func (d *door) greet(c *net.TCPConn) {
	defer d.work.Done()
	deadline := time.Now().Add(d.set.hello)
	h, v, err := d.hear(c, deadline)
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.callers {
		if other == c {
			d.callers = append(d.callers[:i], d.callers[i+1:]...)
			break
		}
	}
	if err != nil {
		d.refuse(c, err.Error())
		return
	}
	if v == welcome && (d.shut || d.in[h.from][h.index] != nil) {
		v = notExpected
	}
	// The answer fits the empty send buffer of a new connection, so writing it
	// under the lock cannot block.
	if _, err := c.Write([]byte{byte(v)}); err != nil || v != welcome {
		reason := errGone
		if v != welcome {
			reason = presented(v)
		}
		d.refuse(c, reason.Error())
		return
	}
	d.in[h.from][h.index] = c
	if d.missing--; d.missing == 0 {
		close(d.full)
	}
}

// hear goes through the handshake up to the last verdict, which is the caller's to send. One that was not welcome has been told.
func (d *door) hear(c net.Conn, deadline time.Time) (hello, verdict, error) {
	h, err := readHello(c, deadline)
	if err != nil {
		return h, 0, err
	}
	v := judge(h, d.rank, d.size, d.set.connections)
	answer := encodeWelcome(v, d.rank, h, d.secret)
	if _, err := c.Write(answer); err != nil {
		return h, v, errGone
	}
	if v != welcome {
		return h, v, presented(v)
	}
	proof := make([]byte, proofSize)
	if _, err := io.ReadFull(c, proof); err != nil {
		return h, v, handshakeError(err)
	}
	if !hmac.Equal(proof, d.secret.proof(byCaller, h.encode(), answer)) {
		v = wrongSecret
	}
	return h, v, nil
}

var errGone = errors.New("it was gone before the answer")

func presented(v verdict) error { return fmt.Errorf("it presented %v", v) }

func (d *door) refuse(c net.Conn, reason string) {
	c.Close()
	d.refused++
	d.last = &RefusedError{c.RemoteAddr().String(), reason}
}

// close ends the listening and the greeting. The connections that were let in
// are the caller's, those of strangers are gone when it returns.
func (d *door) close() [][]*net.TCPConn {
	d.mu.Lock()
	d.shut = true
	for _, c := range d.callers {
		c.Close()
	}
	d.mu.Unlock()
	closeAll(d.listeners)
	d.work.Wait()
	return d.in
}

// absent returns the lowest rank that has not connected, and what may explain it.
func (d *door) absent() (rank int, cause string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	cause = fmt.Sprintf("it did not connect within %v", d.set.deadline)
	if d.refused > 0 {
		cause += fmt.Sprintf("; meanwhile %d connections were refused, the last because %v", d.refused, d.last)
	}
	for i := d.rank + 1; i < d.size; i++ {
		for _, c := range d.in[i] {
			if c == nil {
				return i, cause
			}
		}
	}
	return -1, cause
}
