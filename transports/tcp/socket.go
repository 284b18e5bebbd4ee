package tcp

import (
	"io"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/netif"
)

// socket makes the system calls of a connected TCP socket. The non-blocking ones are raw: the Go
// scheduler is not notified, which saves about as much time as the entry of the kernel costs, and
// is allowed because they never block. None takes longer than the kernel's copy of the bytes of one
// call, which the option chunk bounds for sends.
type socket struct {
	fd    int
	iov   [3]syscall.Iovec
	msg   syscall.Msghdr
	watch netif.Watch
}

const sendFlags = syscall.MSG_DONTWAIT | syscall.MSG_NOSIGNAL

// send writes as much of a, b and c as the kernel has room for.
func (s *socket) send(a, b, c []byte) (int, error) {
	var n uintptr
	var errno syscall.Errno
	if len(b) == 0 && len(c) == 0 {
		n, _, errno = syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(s.fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(len(a)), sendFlags, 0, 0)
	} else {
		s.gather(a, b, c)
		n, _, errno = syscall.RawSyscall(syscall.SYS_SENDMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.msg)), sendFlags)
	}
	switch errno {
	case 0:
		return int(n), nil
	case syscall.EAGAIN, syscall.EINTR, syscall.ENOBUFS, syscall.ENOMEM:
		return 0, nil
	}
	return 0, errno
}

// receive reads the available data, into a and then into b.
func (s *socket) receive(a, b []byte) (int, error) {
	var n uintptr
	var errno syscall.Errno
	if len(a) == 0 {
		n, _, errno = syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(s.fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), syscall.MSG_DONTWAIT, 0, 0)
	} else {
		s.gather(a, b, nil)
		n, _, errno = syscall.RawSyscall(syscall.SYS_RECVMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.msg)), syscall.MSG_DONTWAIT)
	}
	switch errno {
	case 0:
		if n == 0 {
			return 0, io.EOF
		}
		return int(n), nil
	case syscall.EAGAIN, syscall.EINTR:
		return 0, nil
	}
	return 0, errno
}

// gather makes the message header of up to three parts. The socket lives on
// the heap and its vector holds typed pointers, so the parts stay where they are.
func (s *socket) gather(a, b, c []byte) {
	k := 0
	for _, part := range [...][]byte{a, b, c} {
		if len(part) > 0 {
			s.iov[k].Base = unsafe.SliceData(part)
			s.iov[k].SetLen(len(part))
			k++
		}
	}
	s.msg.Iov = &s.iov[0]
	s.msg.Iovlen = uint64(k)
}

// finish sends the end of the stream behind everything written.
func (s *socket) finish() error { return syscall.Shutdown(s.fd, syscall.SHUT_WR) }

func (s *socket) option(name int) (int, error) {
	return syscall.GetsockoptInt(s.fd, syscall.SOL_SOCKET, name)
}

func (s *socket) descriptor() int { return s.fd }

func (s *socket) congestion() (string, error) {
	name, err := unix.GetsockoptString(s.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	return strings.TrimRight(name, "\x00"), err
}

// silent implements link. TCP_USER_TIMEOUT would be simpler, but would also end the connection to a
// live rank that does not read.
func (s *socket) silent(now time.Time) (time.Duration, error) { return s.watch.Silent(s.fd, now) }

func (s *socket) packet() int { return s.watch.Packet(s.fd) }
