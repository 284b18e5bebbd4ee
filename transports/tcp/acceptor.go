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

// An acceptor accepts the connections of the higher ranks that set.pairs connects with this one, and
// refuses all others. Each
// handshake runs in a goroutine of its own with a deadline, so that a slow or silent connection
// delays no other. When too many handshakes are pending, the oldest is aborted.
type acceptor struct {
	set       settings
	rank      int
	size      int
	secret    *secret
	listeners []net.Listener

	mu       sync.Mutex
	accepted [][]*net.TCPConn // by rank and index; nil for a rank that is not to connect
	awaited  int              // connections that have not been accepted yet
	complete chan struct{}    // closed when awaited is 0
	closed   bool
	pending  []net.Conn // in the handshake, oldest first
	refused  int
	last     *RefusedError
	work     sync.WaitGroup
}

// A RefusedError reports why a connection was not accepted.
type RefusedError struct {
	Address string // of the remote end
	Reason  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused a connection from %s: %s", e.Address, e.Reason)
}

// maxPending bounds the handshakes that run at once, in addition to one per rank.
const maxPending = 256

// newAcceptor starts to accept connections from listeners, which it owns.
func newAcceptor(set settings, rank, size int, s *secret, listeners []net.Listener) *acceptor {
	a := &acceptor{set: set, rank: rank, size: size, secret: s, listeners: listeners,
		accepted: make([][]*net.TCPConn, size), complete: make(chan struct{})}
	for i := rank + 1; i < size; i++ {
		if set.pairs.Connect(rank, i) {
			a.accepted[i] = make([]*net.TCPConn, set.connections)
			a.awaited += set.connections
		}
	}
	if a.awaited == 0 {
		close(a.complete)
	}
	for _, l := range listeners {
		a.work.Add(1)
		go a.accept(l)
	}
	return a
}

func (a *acceptor) accept(l net.Listener) {
	defer a.work.Done()
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as no file descriptor left, which may pass
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if a.admit(c) {
			a.work.Add(1)
			go a.handshake(c.(*net.TCPConn))
		}
	}
}

// admit adds c to the pending handshakes. It closes c and reports false if the acceptor is closed.
func (a *acceptor) admit(c net.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		c.Close()
		return false
	}
	a.pending = append(a.pending, c)
	if len(a.pending) > maxPending+a.size {
		a.pending[0].Close() // its goroutine sees the error
		a.pending = a.pending[1:]
	}
	return true
}

// handshake runs the listener's side of the handshake and accepts or refuses c.
func (a *acceptor) handshake(c *net.TCPConn) {
	defer a.work.Done()
	deadline := time.Now().Add(a.set.hello)
	h, v, err := a.authenticate(c, deadline)
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, other := range a.pending {
		if other == c {
			a.pending = append(a.pending[:i], a.pending[i+1:]...)
			break
		}
	}
	if err != nil {
		a.refuse(c, err.Error())
		return
	}
	if v == welcome && (a.closed || a.accepted[h.from][h.index] != nil) {
		v = notExpected
	}
	// The answer fits the empty send buffer of a new connection, so writing it
	// under the lock cannot block.
	if _, err := c.Write([]byte{byte(v)}); err != nil || v != welcome {
		reason := errGone
		if v != welcome {
			reason = presented(v)
		}
		a.refuse(c, reason.Error())
		return
	}
	a.accepted[h.from][h.index] = c
	if a.awaited--; a.awaited == 0 {
		close(a.complete)
	}
}

// authenticate runs the handshake up to the final status, which the caller sends. If the hello was
// already refused, it has sent that status and returns an error.
func (a *acceptor) authenticate(c net.Conn, deadline time.Time) (hello, status, error) {
	h, err := readHello(c, deadline)
	if err != nil {
		return h, 0, err
	}
	v := checkHello(h, a.rank, a.size, a.set.connections)
	if v == welcome && a.accepted[h.from] == nil {
		v = wrongRank
	}
	answer := encodeWelcome(v, a.rank, h, a.secret)
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
	if !hmac.Equal(proof, a.secret.proof(byCaller, h.encode(), answer)) {
		v = wrongSecret
	}
	return h, v, nil
}

var errGone = errors.New("it was gone before the answer")

func presented(v status) error { return fmt.Errorf("it presented %v", v) }

func (a *acceptor) refuse(c net.Conn, reason string) {
	c.Close()
	a.refused++
	a.last = &RefusedError{c.RemoteAddr().String(), reason}
}

// close stops listening, aborts the pending handshakes and waits for their goroutines. It returns
// the accepted connections, by rank and index, which the caller owns.
func (a *acceptor) close() [][]*net.TCPConn {
	a.mu.Lock()
	a.closed = true
	for _, c := range a.pending {
		c.Close()
	}
	a.mu.Unlock()
	closeAll(a.listeners)
	a.work.Wait()
	return a.accepted
}

// missing returns the lowest rank that has not connected, and the likely cause. It returns -1 if
// all ranks have.
func (a *acceptor) missing() (rank int, cause string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	cause = fmt.Sprintf("it did not connect within %v", a.set.deadline)
	if a.refused > 0 {
		cause += fmt.Sprintf("; meanwhile %d connections were refused, the last because %v", a.refused, a.last)
	}
	for i := a.rank + 1; i < a.size; i++ {
		for _, c := range a.accepted[i] {
			if c == nil {
				return i, cause
			}
		}
	}
	return -1, cause
}
