package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// fileConn is a connection of a family of sockets that package net does not support: vsock and SMC.
type fileConn struct {
	*os.File
	local, remote net.Addr
}

func (c fileConn) LocalAddr() net.Addr  { return c.local }
func (c fileConn) RemoteAddr() net.Addr { return c.remote }

// fileListener listens on a socket of such a family.
type fileListener struct {
	file *os.File
	at   net.Addr
}

func (l *fileListener) Addr() net.Addr { return l.at }
func (l *fileListener) Close() error   { return l.file.Close() }

func (l *fileListener) Accept() (net.Conn, error) {
	raw, err := l.file.SyscallConn()
	var fd int
	var from unix.Sockaddr
	var failed error
	if err == nil {
		err = raw.Read(func(listener uintptr) bool {
			fd, from, failed = unix.Accept4(int(listener), unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
			return failed != unix.EAGAIN
		})
	}
	if err != nil { // the file was closed
		return nil, net.ErrClosed
	}
	if failed != nil {
		return nil, failed
	}
	return newFileConn(fd, from), nil
}

func newFileConn(fd int, remote unix.Sockaddr) fileConn {
	local, _ := unix.Getsockname(fd)
	return fileConn{os.NewFile(uintptr(fd), "socket"), addrOfSocket(local), addrOfSocket(remote)}
}

// addrOfSocket converts an address to one of package net, without a zone: it is compared and shown,
// not connected to.
func addrOfSocket(sa unix.Sockaddr) net.Addr {
	switch a := sa.(type) {
	case *unix.SockaddrVM:
		return vsockAddr{a.CID, a.Port}
	case *unix.SockaddrInet4:
		return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port)))
	case *unix.SockaddrInet6:
		return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port)))
	}
	return &net.TCPAddr{}
}

// newSocket makes a socket of the family of option family, for an address of IP version 6 or not.
func (s settings) newSocket(six bool) (int, error) {
	family, protocol := familyVsock, 0
	if s.family == "smc" {
		family = familySMC
		if six {
			protocol = 1 // SMCPROTO_SMC6
		}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err == nil && s.family == "smc" {
		err = s.tune(fd)
	}
	if err != nil {
		return -1, fmt.Errorf("making a socket of %s: %w", s.family, err)
	}
	return fd, nil
}

// tune sets the options of an SMC socket, which its TCP connection has.
func (s settings) tune(fd int) error {
	nodelay := 0
	if s.nodelay {
		nodelay = 1
	}
	k := s.keepAlive()
	seconds := func(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }
	return errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1),
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds(k.Idle)),
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, seconds(k.Interval)),
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, k.Count),
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, nodelay),
		s.sizes(fd))
}

// sizes sets the sizes of the buffers of a socket.
func (s settings) sizes(fd int) error {
	var err error
	if s.sndbuf > 0 {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, s.sndbuf)
	}
	if s.rcvbuf > 0 && err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, s.rcvbuf)
	}
	return err
}

// listenAt listens at an address of the family.
func (s settings) listenAt(to unix.Sockaddr) (net.Listener, error) {
	_, six := to.(*unix.SockaddrInet6)
	fd, err := s.newSocket(six)
	if err != nil {
		return nil, err
	}
	if err = unix.Bind(fd, to); err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	var own unix.Sockaddr
	if err == nil {
		own, err = unix.Getsockname(fd)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &fileListener{os.NewFile(uintptr(fd), "socket"), addrOfSocket(own)}, nil
}

// dialAt connects to an address of the family, from another one unless that is nil.
func (s settings) dialAt(ctx context.Context, to, from unix.Sockaddr) (connection, error) {
	_, six := to.(*unix.SockaddrInet6)
	fd, err := s.newSocket(six)
	if err != nil {
		return nil, err
	}
	if from != nil {
		err = unix.Bind(fd, from)
	}
	if err == nil {
		if err = unix.Connect(fd, to); errors.Is(err, unix.EINPROGRESS) {
			err = awaitConnect(ctx, fd)
		}
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return newFileConn(fd, to), nil
}

// awaitConnect waits until a non-blocking socket is connected.
func awaitConnect(ctx context.Context, fd int) error {
	const step = 50 * time.Millisecond // between looks at ctx
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	for until := time.Now().Add(oneTry); ctx.Err() == nil && time.Now().Before(until); {
		n, err := unix.Poll(fds, int(step/time.Millisecond))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		if n > 0 {
			code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
			if err == nil && code != 0 {
				err = syscall.Errno(code)
			}
			return err
		}
	}
	return syscall.ETIMEDOUT
}
