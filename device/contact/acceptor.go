package contact

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"gobench/internal/pending"
)

// An acceptor accepts connections of the expected ranks and refuses all others. Each handshake runs
// in its own goroutine with a deadline, so that a slow or silent connection delays no other.
// Too many pending handshakes are aborted as pending.List does.
type acceptor struct {
	contacts  *Contacts
	listeners []net.Listener

	mu      sync.Mutex
	closed  bool
	pending pending.List // in the handshake
	refused int
	last    *refusedError
	failed  error // the last error of the system
	work    sync.WaitGroup
}

// A refusedError reports why a connection was not accepted.
type refusedError struct {
	Address string // of the remote end
	Reason  string
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("refused a connection from %s: %s", e.Address, e.Reason)
}

// maxPending bounds the handshakes that run concurrently, in addition to one per rank.
const maxPending = 256

// newAcceptor starts to accept connections from listeners, which it owns.
func newAcceptor(k *Contacts, listeners []net.Listener) *acceptor {
	a := &acceptor{contacts: k, listeners: listeners, pending: pending.List{Max: maxPending + len(k.of)}}
	for _, l := range listeners {
		a.work.Go(func() { a.accept(l) })
	}
	return a
}

func (a *acceptor) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as no file descriptor left, which may pass
			a.mu.Lock()
			a.failed = err
			a.mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if a.admit(c) {
			a.work.Go(func() { a.handshake(c) })
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
	a.pending.Add(c)
	return true
}

// handshake runs the listener's side of the handshake and accepts or refuses c.
func (a *acceptor) handshake(c net.Conn) {
	deadline := time.Now().Add(a.contacts.set.Hello)
	h, err := a.authenticate(c, deadline)
	a.mu.Lock()
	a.pending.Remove(c)
	a.mu.Unlock() // close does not close c any more
	if err == nil {
		err = a.contacts.commit(h, c)
	}
	if err != nil {
		c.Close()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.refused++
		a.last = &refusedError{c.RemoteAddr().String(), err.Error()}
	}
}

// authenticate runs the handshake up to the final status, which commit sends. If it returns an
// error, it has sent the status itself, if the connection still works.
func (a *acceptor) authenticate(c net.Conn, deadline time.Time) (hello, error) {
	k := a.contacts
	h, err := readHello(c, deadline)
	if err != nil {
		return h, err
	}
	v := checkHello(h, k.set.Rank, len(k.of), k.set.Connections)
	if v == welcome && k.of[h.from] == nil {
		v = wrongRank
	}
	answer := encodeWelcome(v, k.set.Rank, h, &k.set.Secret)
	if _, err := c.Write(answer); err != nil {
		return h, errGone
	}
	if v != welcome {
		return h, presented(v)
	}
	proof := make([]byte, proofSize)
	if _, err := io.ReadFull(c, proof); err != nil {
		return h, handshakeError(err)
	}
	if !hmac.Equal(proof, k.set.Secret.proof(byCaller, h.encode(), answer)) {
		c.Write([]byte{byte(wrongSecret)})
		return h, presented(wrongSecret)
	}
	return h, nil
}

var errGone = errors.New("it was gone before the answer")

func presented(v status) error { return fmt.Errorf("it presented %v", v) }

// close stops listening, aborts the pending handshakes and waits for their goroutines.
func (a *acceptor) close() {
	a.mu.Lock()
	a.closed = true
	a.pending.Close()
	a.mu.Unlock()
	for _, l := range a.listeners {
		l.Close()
	}
	a.work.Wait()
}

// cause returns what may have kept a rank from connecting here, "" if nothing is known.
func (a *acceptor) cause() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var parts []string
	if a.refused > 0 {
		parts = append(parts, fmt.Sprintf("meanwhile %d connections were refused, the last because this rank %v", a.refused, a.last))
	}
	if a.failed != nil {
		parts = append(parts, fmt.Sprintf("this rank could not accept connections: %v", a.failed))
	}
	return strings.Join(parts, "; ")
}
