package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/netif"
)

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
	var errno syscall.Errno
	if errors.As(err, &errno) {
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
