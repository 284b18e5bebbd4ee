package tcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// contacts holds the pairs of this rank and other ranks that are being connected. Either rank of a
// pair may connect ("call"). If both do at the same time, the connections of the higher rank are
// used: it refuses those of the lower one, which accepts the higher one's instead.
type contacts struct {
	set     settings
	rank    int
	secret  *secret
	targets func(rank int) ([]target, error)
	stop    context.CancelFunc
	ctx     context.Context // ends all calls
	news    atomic.Bool     // ready is not empty
	bell    int             // an eventfd that is readable then, -1 if there is none

	mu      sync.Mutex
	of      []*contact // by rank; nil for one that is not to be connected with this one
	ready   []*contact // over, and not yet taken
	leaving bool
	calls   sync.WaitGroup
}

// A contact is the state of one pair. It is over when all its connections are established, or when
// it has failed.
type contact struct {
	rank    int
	conns   []connection // by index
	count   int          // of those that are there
	calling bool         // this rank has called
	awaited bool         // it is over within a bounded time
	over    chan struct{}
	err     error // of over; a *device.PeerError
}

func newContacts(set settings, rank, size int, s *secret, targets func(int) ([]target, error)) *contacts {
	k := &contacts{set: set, rank: rank, secret: s, targets: targets, of: make([]*contact, size)}
	k.ctx, k.stop = context.WithCancel(context.Background())
	if k.bell = -1; set.lazy {
		if fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
			k.bell = fd
		}
	}
	for other := range size {
		if set.pairs.Connect(rank, other) {
			k.of[other] = &contact{rank: other, conns: make([]connection, set.connections), over: make(chan struct{})}
		}
	}
	return k
}

// call connects to a rank, unless it is connected or being connected. The contact is over within d.
func (k *contacts) call(rank int, d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.of[rank]
	if c.awaited || c.isOver() {
		return
	}
	c.awaited = true
	c.calling = c.count == 0 // else the other rank calls
	k.calls.Go(func() {
		ctx, cancel := context.WithTimeout(k.ctx, d)
		defer cancel()
		if c.calling {
			if err := k.dial(ctx, c); err != nil {
				k.fail(c, err)
				return
			}
		}
		select { // the other rank is connecting
		case <-c.over:
		case <-ctx.Done():
			k.fail(c, &device.PeerError{Rank: c.rank, Cause: fmt.Sprintf("it did not connect within %v", d)})
		}
	})
}

// dial makes all connections of a contact. It also returns nil if the other rank makes them.
func (k *contacts) dial(ctx context.Context, c *contact) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	at, err := k.targets(c.rank)
	if err != nil {
		return err
	}
	errs := make(chan error, k.set.connections)
	for index := range k.set.connections {
		go func() {
			h := hello{version: version, index: index, connections: k.set.connections, from: k.rank, to: c.rank}
			conn, err := k.set.dial(ctx, h, at, k.secret)
			if err == nil {
				k.mu.Lock()
				k.add(c, index, conn)
				k.mu.Unlock()
			}
			errs <- err
		}()
	}
	var first error
	for range k.set.connections {
		err := <-errs
		if refused := (*refusal)(nil); errors.As(err, &refused) && (refused.status == hasCalled || refused.status == notExpected) {
			err = nil
		}
		if err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

// commit decides whether to accept a connection whose caller has authenticated as h.from, and sends
// the decision. The answer fits into the empty send buffer of a new connection, so writing it under
// the lock cannot block.
func (k *contacts) commit(h hello, conn connection) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := welcome
	switch c := k.of[h.from]; {
	case c == nil:
		v = wrongRank
	case c.isOver() && c.err != nil, k.leaving && c.count == 0 && !c.calling:
		v = hasLeft
	case c.conns[h.index] != nil:
		v = notExpected
	case c.calling && k.rank > h.from:
		v = hasCalled
	}
	if _, err := conn.Write([]byte{byte(v)}); err != nil {
		return errGone
	}
	if v != welcome {
		return presented(v)
	}
	k.add(k.of[h.from], h.index, conn)
	return nil
}

// add adds a connection, with the lock held. It closes the connection if it is not needed any more.
func (k *contacts) add(c *contact, index int, conn connection) {
	if c.isOver() || c.conns[index] != nil {
		conn.Close()
		return
	}
	c.conns[index] = conn
	if c.count++; c.count == len(c.conns) {
		k.end(c)
	}
}

func (k *contacts) fail(c *contact, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.isOver() {
		return
	}
	for i, conn := range c.conns {
		if conn != nil {
			conn.Close()
			c.conns[i] = nil
		}
	}
	c.err = err
	k.end(c)
}

// end ends a contact with the lock held.
func (k *contacts) end(c *contact) {
	close(c.over)
	k.ready = append(k.ready, c)
	k.news.Store(true)
	unix.Write(k.bell, ring[:])
}

// ring is added to the counter of an eventfd.
var ring = [8]byte{1}

func (c *contact) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// take returns the contacts that have ended since the last call. Their connections belong to the
// caller.
func (k *contacts) take() []*contact {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.ready
	k.ready = nil
	k.news.Store(false)
	var counter [8]byte
	unix.Read(k.bell, counter[:])
	return list
}

// giveUp ends the contact to a rank that must not be connected any more.
func (k *contacts) giveUp(rank int) {
	k.fail(k.of[rank], &device.PeerError{Rank: rank, Cause: "it was given up"})
}

// leave refuses later calls of all ranks that are neither connected nor being connected, and
// returns these ranks.
func (k *contacts) leave() (strangers []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leaving = true
	for rank, c := range k.of {
		if c != nil && c.count == 0 && !c.calling && !c.isOver() {
			strangers = append(strangers, rank)
		}
	}
	return strangers
}

// close ends the calls in progress, and closes the connections that were not taken.
func (k *contacts) close() {
	k.stop()
	k.calls.Wait()
	for _, c := range k.of {
		if c != nil {
			k.fail(c, context.Canceled)
		}
	}
	list := k.take()
	k.mu.Lock()
	unix.Close(k.bell)
	k.bell = -1
	k.mu.Unlock()
	for _, c := range list {
		for _, conn := range c.conns {
			if conn != nil {
				conn.Close()
			}
		}
	}
}
