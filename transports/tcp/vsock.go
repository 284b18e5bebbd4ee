package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// vsockAddr is an address between a virtual machine and its host: a context identifier and a port.
type vsockAddr struct{ CID, Port uint32 }

func (vsockAddr) Network() string  { return "vsock" }
func (a vsockAddr) String() string { return fmt.Sprintf("vsock:%d:%d", a.CID, a.Port) }

// vsockConn is a connection of AF_VSOCK.
type vsockConn struct {
	*os.File
	local, remote vsockAddr
}

func (c vsockConn) LocalAddr() net.Addr  { return c.local }
func (c vsockConn) RemoteAddr() net.Addr { return c.remote }

func vsockSocket() (int, error) {
	fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, fmt.Errorf("making a socket of vsock: %w", err)
	}
	return fd, nil
}

func vsockAddrOf(sa unix.Sockaddr) vsockAddr {
	a, _ := sa.(*unix.SockaddrVM)
	if a == nil {
		return vsockAddr{}
	}
	return vsockAddr{a.CID, a.Port}
}

func newVsockConn(fd int, remote unix.Sockaddr) vsockConn {
	local, _ := unix.Getsockname(fd)
	return vsockConn{os.NewFile(uintptr(fd), "vsock"), vsockAddrOf(local), vsockAddrOf(remote)}
}

// vsockListener listens at a port of this machine.
type vsockListener struct {
	file *os.File
	at   vsockAddr
}

func (l *vsockListener) Addr() net.Addr { return l.at }
func (l *vsockListener) Close() error   { return l.file.Close() }

func (l *vsockListener) Accept() (net.Conn, error) {
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
	if err != nil { // the file is closed: only that ends the wait
		return nil, net.ErrClosed
	}
	if failed != nil {
		return nil, failed
	}
	return newVsockConn(fd, from), nil
}

// listenVsock listens at a port that the kernel chooses, or option port: for ranks of this machine alone
// where cid is that of the loopback.
func (s settings) listenVsock(rank int, cid uint32) (*vsockListener, error) {
	fd, err := vsockSocket()
	if err != nil {
		return nil, err
	}
	to := &unix.SockaddrVM{CID: unix.VMADDR_CID_ANY, Port: unix.VMADDR_PORT_ANY}
	if cid == unix.VMADDR_CID_LOCAL {
		to.CID = cid
	}
	if s.port != 0 {
		to.Port = uint32(s.port + rank)
	}
	err = unix.Bind(fd, to)
	if errors.Is(err, unix.EADDRNOTAVAIL) && cid == unix.VMADDR_CID_LOCAL {
		unix.Close(fd)
		return nil, &device.UnavailableError{Transport: name, Reason: fmt.Sprintf("family=vsock: this kernel has no loopback of vsock, or its module vsock_loopback is not loaded (%v)", err), Remedy: "modprobe vsock_loopback"}
	}
	if err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	var own unix.Sockaddr
	if err == nil {
		own, err = unix.Getsockname(fd)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("listening on vsock: %w", err)
	}
	return &vsockListener{os.NewFile(uintptr(fd), "vsock"), vsockAddr{cid, vsockAddrOf(own).Port}}, nil
}

// ownCID returns the context identifier by which this machine's peers know it. The ranks of one machine
// use the loopback.
func ownCID(local bool) (uint32, error) {
	if local {
		return unix.VMADDR_CID_LOCAL, nil
	}
	f, err := os.Open("/dev/vsock")
	if err != nil {
		return 0, &device.UnavailableError{Transport: name, Reason: "family=vsock: " + err.Error(), Remedy: "modprobe vsock, in a virtual machine that has the device vhost-vsock, or modprobe vhost_vsock on its host"}
	}
	defer f.Close()
	cid, err := unix.IoctlGetInt(int(f.Fd()), unix.IOCTL_VM_SOCKETS_GET_LOCAL_CID)
	if err != nil {
		return 0, fmt.Errorf("asking for the context identifier of this machine: %w", err)
	}
	return uint32(cid), nil
}

// dialVsock connects to a rank of this machine, of its host or of its guest.
func (s settings) dialVsock(ctx context.Context, to vsockAddr) (connection, error) {
	fd, err := vsockSocket()
	if err != nil {
		return nil, err
	}
	peer := &unix.SockaddrVM{CID: to.CID, Port: to.Port}
	if err = unix.Connect(fd, peer); errors.Is(err, unix.EINPROGRESS) {
		err = awaitConnect(ctx, fd)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return newVsockConn(fd, peer), nil
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
