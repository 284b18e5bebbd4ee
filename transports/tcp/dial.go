package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
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

// listen opens the sockets on which higher ranks connect: one for each address, or, if any is set,
// only the first that works. It stores their ports in mine.
func (s settings) listen(ctx context.Context, rank int, mine *endpoint, any bool) ([]net.Listener, error) {
	addresses := mine.Addresses
	if s.family == "vsock" {
		l, port, err := s.listenVsock(rank, mine.Vsock.CID)
		if err != nil {
			return nil, err
		}
		mine.Vsock.Port = port
		return []net.Listener{l}, nil
	}
	config := net.ListenConfig{Control: s.prepare, KeepAliveConfig: s.keepAlive()}
	config.SetMultipathTCP(s.multipath)
	port := uint16(0)
	if s.port != 0 {
		port = uint16(s.port + rank)
	}
	var open []net.Listener
	var first error
	for i := range addresses {
		a := addresses[i].Addr
		var l net.Listener
		var err error
		if at := netip.AddrPortFrom(a, port); s.family == "smc" {
			l, err = s.listenAt(netif.Sockaddr(at))
		} else {
			l, err = config.Listen(ctx, "tcp", at.String())
		}
		if errors.Is(err, syscall.EADDRINUSE) && s.port != 0 {
			closeAll(open)
			return nil, fmt.Errorf("port %d (option port is %d, this is rank %d) on %v is already taken", port, s.port, rank, a)
		}
		if err != nil {
			if first == nil {
				first = fmt.Errorf("cannot listen on %v: %w", a, netif.ListenError(rootCause(err)))
			}
			continue
		}
		addresses[i].Port = l.Addr().(*net.TCPAddr).AddrPort().Port()
		if open = append(open, l); any {
			break
		}
		if s.multipath && s.port == 0 { // a further path goes to the same port at another address
			port = addresses[i].Port
		}
	}
	if len(open) == 0 {
		return nil, first
	}
	return open, nil
}

// rootCause unwraps the layers that package net adds to a system error, which would repeat the
// address.
func rootCause(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}

func closeAll(list []net.Listener) {
	for _, l := range list {
		l.Close()
	}
}

// keepAlive makes the kernel detect that the host of an idle connection has vanished: the first
// probe is sent after half of the time, three more in the other half.
func (s settings) keepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: s.silence / 2, Interval: s.silence / 6, Count: 3}
}

// prepare sets the options that a socket needs before it is connected or listens, above all the
// buffer sizes, which determine the TCP window scale.
func (s settings) prepare(network, address string, c syscall.RawConn) error {
	var err error
	e := c.Control(func(fd uintptr) {
		err = s.sizes(int(fd))
		if s.congestion != "" && err == nil {
			if err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, s.congestion); err != nil {
				err = &device.ValueError{Option: "congestion", Value: s.congestion,
					Want: "one that this user may choose, see sysctl net.ipv4.tcp_allowed_congestion_control"}
			}
		}
	})
	if e != nil {
		return e
	}
	return err
}
