package tcp

import (
	"io"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket makes the system calls of a connected TCP socket. The non-blocking ones are raw: the Go
// scheduler is not notified, which saves about as much time as the entry of the kernel costs, and
// is allowed because they never block. None takes longer than the kernel's copy of the bytes of one
// call, which the option chunk bounds for sends.
type socket struct {
	fd      int
	iov     [3]syscall.Iovec
	msg     syscall.Msghdr
	single  bool // it is no socket of Multipath TCP, or the kernel does not tell its paths
	paths   paths
	silence silence
}

// paths holds the answer to MPTCP_TCPINFO of linux/mptcp.h: struct mptcp_subflow_data, and a
// pathInfo of each path.
type paths struct {
	header, count, kernel, user uint32
	of                          [8]pathInfo
}

// pathInfo is the beginning of struct tcp_info.
type pathInfo struct {
	_                   [2]uint8
	retransmits, probes uint8
	_                   [13]uint32
	lastAnswer          uint32 // milliseconds ago
}

// waits reports whether an answer is due.
func (p *pathInfo) waits() bool { return p.retransmits > 0 || p.probes > 0 }

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

// silent returns the time since the kernel's last answer from the remote host, if one is due. With
// Multipath TCP it is that of the path with the last answer: the others may be cut while the host
// answers there. TCP_USER_TIMEOUT would be simpler, but would also end the connection to a live
// rank that does not read.
func (s *socket) silent(now time.Time) (time.Duration, error) {
	const headerSize = 16
	s.paths = paths{header: headerSize, user: uint32(unsafe.Sizeof(pathInfo{}))}
	if !s.single {
		s.single = s.ask(levelMPTCP, mptcpTCPInfo, unsafe.Pointer(&s.paths), unsafe.Sizeof(s.paths)) != 0
	}
	if s.single {
		errno := s.ask(syscall.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&s.paths.of), unsafe.Sizeof(pathInfo{}))
		if errno == syscall.ENOPROTOOPT || errno == syscall.EOPNOTSUPP { // vsock and SMC do not report it
			return 0, nil
		}
		if errno != 0 {
			return 0, errno
		}
	}
	return s.silence.since(s.paths.last(), now), nil
}

// last returns the path on which the remote host has answered last, or which waits for no answer.
func (p *paths) last() *pathInfo {
	last := &p.of[0]
	for i := 1; i < min(int(p.count), len(p.of)) && last.waits(); i++ {
		if path := &p.of[i]; !path.waits() || path.lastAnswer < last.lastAnswer {
			last = path
		}
	}
	return last
}

// ask returns a socket option of any size.
func (s *socket) ask(level, option uintptr, into unsafe.Pointer, size uintptr) syscall.Errno {
	n := uint32(size)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_GETSOCKOPT, uintptr(s.fd), level, option, uintptr(into), uintptr(unsafe.Pointer(&n)), 0)
	return errno
}

// A silence measures how long the remote host has not answered retransmitted data or a window
// probe. A rank that computes and reads nothing still answers, because its kernel does.
type silence struct{ from time.Time }

// since returns the duration of the silence at time now, 0 if the host answers.
func (h *silence) since(path *pathInfo, now time.Time) time.Duration {
	if !path.waits() {
		h.from = time.Time{}
		return 0
	}
	answered := now.Add(-time.Duration(path.lastAnswer) * time.Millisecond)
	if h.from.IsZero() {
		h.from = now
	} else if answered.After(h.from) {
		h.from = answered
	}
	return now.Sub(h.from)
}
