package contact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"gobench/device"
)

// pause is the time between the calls of one rank.
const pause = 20 * time.Millisecond

// A trial is an address of a peer with what became of the calls there. The lock of Contacts guards
// it.
type trial struct {
	target Target
	calls  int
	err    error // of the last one
	final  bool  // it is not called any more
}

// errNoAddress: no address of a rank is left to call. Why, the trials of the contact tell.
var errNoAddress = errors.New("no address can be reached")

// dialUntil makes one connection of a contact: it tries the addresses of its rank in turn until one
// answers or ctx ends. It returns nil if the other rank makes it.
func (k *Contacts) dialUntil(ctx context.Context, c *contact, index int) error {
	h := hello{version: version, index: index, connections: k.set.Connections, from: k.set.Rank, to: c.rank}
	given := make([]bool, len(c.tried)) // addresses that this connection does not call any more
	for {
		open := false
		for i, t := range c.tried {
			if given[i] {
				continue
			}
			conn, err := t.target.Dial(ctx)
			if err == nil {
				if !k.begin(c, index) {
					conn.Close()
					return nil
				}
				if err = k.introduce(ctx, conn, h); err != nil {
					conn.Close()
					conn = nil
				}
				k.greeted(c, index, conn)
				if err == nil {
					return nil
				}
			}
			refused := (*refusal)(nil)
			switch {
			case errors.As(err, &refused) && refused.status == hasLeft:
				return k.lost(c, "", "it has closed its device")
			case refused != nil && refused.status == notExpected:
				return nil // the other rank has connected
			case refused != nil && refused.status == hasCalled:
				open = true // the other rank is connecting, and may fail
			case refused != nil && refused.status != welcome:
				return k.lost(c, unreached, fmt.Sprintf("connecting to it at %v: %v", t.target, err))
			case refused != nil:
				// The process that refuses may be another one, which has this address in the
				// network of this host.
				given[i] = true
			case errors.Is(err, syscall.ECONNREFUSED): // every rank listens before it tells its addresses
				given[i] = true
			default:
				if why := t.target.Final(err); why != "" {
					err = fmt.Errorf("%w: %s", err, why)
					given[i] = true
				}
			}
			open = open || !given[i]
			k.record(t, err, given[i], ctx.Err() != nil)
		}
		if !open {
			return errNoAddress
		}
		select {
		case <-ctx.Done():
			return nil // call returns an error unless the other rank has connected
		case <-time.After(pause):
		}
	}
}

// record counts a call that has failed. One that the end of ctx has ended tells nothing unless it
// is the only one.
func (k *Contacts) record(t *trial, err error, final, ended bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ended && t.err != nil {
		return
	}
	t.calls++
	t.err, t.final = err, final
}

// introduce runs the connecting side of the handshake.
func (k *Contacts) introduce(ctx context.Context, c net.Conn, h hello) error {
	c.SetDeadline(time.Now().Add(k.set.Hello))
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	sec := &k.set.Secret
	h.nonce = newNonce()
	if _, err := c.Write(h.encode()); err != nil {
		return err
	}
	b := make([]byte, welcomeSize)
	if _, err := io.ReadFull(c, b); err != nil {
		return handshakeError(err)
	}
	if err := checkWelcome(b, h, sec); err != nil {
		return &refusal{err, welcome}
	}
	if _, err := c.Write(sec.proof(byCaller, h.encode(), b)); err != nil {
		return err
	}
	// The listener decides now, and keeps the connection if it accepts it: a caller that gave up on
	// its own would be connected at one end only. A listener that gives up closes the connection.
	c.SetDeadline(time.Time{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	last := b[:1]
	if _, err := io.ReadFull(c, last); err != nil {
		return handshakeError(err)
	}
	if v := status(last[0]); v != welcome {
		return &refusal{refusedBy(v), v}
	}
	return nil
}

// refusal is the final answer of a listener.
type refusal struct {
	error
	status status // welcome: the listener has not proved that it is the rank
}

func (r *refusal) Unwrap() error { return r.error }

// lost returns the error of a contact.
func (k *Contacts) lost(c *contact, state, cause string) error {
	return &device.PeerError{Rank: c.rank, Host: k.set.Host(c.rank), State: state, Cause: cause}
}
