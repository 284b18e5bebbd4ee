package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/netif"
)

// dial connects to one rank, trying its addresses in turn until one answers or ctx ends, and runs
// the handshake. An error is a *device.PeerError, within a *refusal where the rank itself refuses.
func (s settings) dial(ctx context.Context, h hello, addresses []target, sec *secret) (connection, error) {
	last := errors.New("it has told no address")
	refusals := map[string]bool{}
	for {
		open := len(addresses) == 0
		for _, a := range addresses {
			if refusals[a.to] {
				continue
			}
			c, err := s.dialOne(ctx, a)
			if err == nil {
				if err = introduce(ctx, c, h, sec); err == nil {
					return c, nil
				}
				c.Close()
			}
			last = fmt.Errorf("connecting to it at %s: %w", a.to, err)
			refused := (*refusal)(nil)
			errors.As(err, &refused)
			switch {
			case refused != nil && refused.status == hasLeft:
				return nil, &device.PeerError{Rank: h.to, Cause: "it has closed its device"}
			case refused != nil && refused.status != welcome:
				return nil, &refusal{&device.PeerError{Rank: h.to, Cause: last.Error()}, refused.status}
			case refused != nil:
				// The process that refuses may be another one, which has this address in the
				// network of this host.
				refusals[a.to] = true
			case errors.Is(err, syscall.ECONNREFUSED): // every rank listens before it tells its addresses
				last = fmt.Errorf("%w: its process has ended, or a firewall refuses", last)
				refusals[a.to] = true
			case a.lacksPort(err): // other ranks of this host will not give theirs back
				last = fmt.Errorf("%w: no local port is free (sysctl net.ipv4.ip_local_port_range)", last)
				refusals[a.to] = true
			default:
				open = true
			}
		}
		if !open {
			return nil, &device.PeerError{Rank: h.to, Cause: last.Error()}
		}
		select {
		case <-ctx.Done():
			return nil, &device.PeerError{Rank: h.to, Cause: last.Error()}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lacksPort reports whether an error of connecting to an address means that all ports of this host
// are in use: the kernel finds none for the address that the socket is bound to, or for any.
func (t target) lacksPort(err error) bool {
	if t.from.IsValid() {
		return errors.Is(err, syscall.EADDRINUSE)
	}
	return t.vsock == (vsockAddr{}) && errors.Is(err, syscall.EADDRNOTAVAIL)
}

// refusal is the final answer of a listener.
type refusal struct {
	error
	status status // welcome: the listener has not proved that it is the rank
}

func (r *refusal) Unwrap() error { return r.error }

// oneTry bounds the time for one address, so that the next is tried.
const oneTry = 5 * time.Second

func (s settings) dialOne(ctx context.Context, t target) (connection, error) {
	switch s.family {
	case "vsock":
		return s.dialAt(ctx, t.vsock.socket(), nil)
	case "smc":
		to, err := netip.ParseAddrPort(t.to)
		if err != nil {
			return nil, err
		}
		var from unix.Sockaddr
		if t.from.IsValid() {
			from = netif.Sockaddr(netip.AddrPortFrom(t.from, 0))
		}
		return s.dialAt(ctx, netif.Sockaddr(to), from)
	}
	d := net.Dialer{Timeout: oneTry, Control: s.prepare, KeepAliveConfig: s.keepAlive()}
	d.SetMultipathTCP(s.multipath)
	if t.from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(t.from, 0))
	}
	c, err := d.DialContext(ctx, "tcp", t.to)
	if err != nil {
		return nil, rootCause(err)
	}
	return c.(connection), nil
}

// introduce runs the connecting side of the handshake.
func introduce(ctx context.Context, c connection, h hello, sec *secret) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(openDeadline)
	}
	c.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	h.nonce = newNonce()
	if _, err := c.Write(h.encode()); err != nil {
		return rootCause(err)
	}
	b := make([]byte, welcomeSize)
	if _, err := io.ReadFull(c, b); err != nil {
		return handshakeError(err)
	}
	if err := checkWelcome(b, h, sec); err != nil {
		return &refusal{err, welcome}
	}
	if _, err := c.Write(sec.proof(byCaller, h.encode(), b)); err != nil {
		return rootCause(err)
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
