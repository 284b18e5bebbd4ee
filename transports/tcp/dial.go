package tcp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/netif"
)

// A target is an address of a peer, and the one of this host to use with it. It implements
// contact.Target.
type target struct {
	set   *settings
	to    string
	from  netip.Addr // not valid: the kernel's choice
	vsock vsockAddr  // instead of both
}

func (t target) String() string { return t.to }

// oneTry bounds the time for one address, so that the next is tried.
const oneTry = 5 * time.Second

// Dial implements contact.Target.
func (t target) Dial(ctx context.Context) (net.Conn, error) {
	switch t.set.family {
	case "vsock":
		return t.set.dialAt(ctx, t.vsock.socket(), nil)
	case "smc":
		to, err := netip.ParseAddrPort(t.to)
		if err != nil {
			return nil, err
		}
		var from unix.Sockaddr
		if t.from.IsValid() {
			from = netif.Sockaddr(netip.AddrPortFrom(t.from, 0))
		}
		return t.set.dialAt(ctx, netif.Sockaddr(to), from)
	}
	d := net.Dialer{Timeout: oneTry, Control: t.set.prepare, KeepAliveConfig: t.set.keepAlive()}
	d.SetMultipathTCP(t.set.multipath)
	if t.from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(t.from, 0))
	}
	c, err := d.DialContext(ctx, "tcp", t.to)
	if err != nil {
		return nil, rootCause(err)
	}
	return c, nil
}

// Final implements contact.Target: other ranks of this host will not give their ports back, and a
// loopback interface that is down stays so.
func (t target) Final(err error) string {
	switch {
	case t.lacksPort(err):
		return "no local port is free (sysctl net.ipv4.ip_local_port_range)"
	case t.loops():
		return netif.LoopDown(err)
	}
	return ""
}

// loops reports whether the target is an address of the loopback interface.
func (t target) loops() bool {
	at, err := netip.ParseAddrPort(t.to)
	return err == nil && at.Addr().IsLoopback()
}

// lacksPort reports whether an error of connecting to an address means that all ports of this host
// are in use: the kernel finds none for the address that the socket is bound to, or for any.
func (t target) lacksPort(err error) bool {
	if t.from.IsValid() {
		return errors.Is(err, syscall.EADDRINUSE)
	}
	return t.vsock == (vsockAddr{}) && errors.Is(err, syscall.EADDRNOTAVAIL)
}
