package sockets

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/sockets"
)

// A stream is one connection.
type stream interface {
	io.ReadWriteCloser
	// TryWrite writes as much as there is room for, possibly nothing.
	TryWrite(b []byte) (int, error)
	// Readable reports whether Read would return immediately.
	Readable() bool
	// SetDeadline, with a time that has passed, ends calls of other goroutines. There must be none
	// left when Close is called.
	SetDeadline(t time.Time) error
}

var (
	_ stream = (*sockets.Conn)(nil)
	_ stream = (*netStream)(nil)
	_ stream = (*threadStream)(nil)
)

// newStream returns the stream of a connection, which it owns unless it returns an error.
func newStream(conn net.Conn, s settings) (stream, error) {
	if c, ok := conn.(*sockets.Conn); ok {
		return c, nil
	}
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	if s.calls == callsAuto {
		return &netStream{Conn: conn, raw: raw}, nil
	}
	fd := -1
	e := raw.Control(func(own uintptr) { fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(e, err); err != nil {
		return nil, err
	}
	conn.Close()
	if err := unix.SetNonblock(fd, s.calls == callsPoll); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &threadStream{fd: fd, polls: s.calls == callsPoll}, nil
}

// netStream is a connection of package net.
type netStream struct {
	net.Conn
	raw syscall.RawConn
}

func (s *netStream) TryWrite(b []byte) (n int, err error) {
	e := s.raw.Write(func(fd uintptr) bool {
		n, err = sendNow(fd, b)
		return true
	})
	if e != nil {
		return n, e
	}
	return n, err
}

func (s *netStream) Readable() (ready bool) {
	s.raw.Control(func(fd uintptr) { ready = readable(fd) })
	return ready
}

func (s *netStream) control(f func(fd int)) { s.raw.Control(func(fd uintptr) { f(int(fd)) }) }

// threadStream makes system calls on the caller's thread, blocking ones or non-blocking ones in a
// loop, as programs in C do.
type threadStream struct {
	fd    int
	polls bool
}

func (s *threadStream) Read(b []byte) (int, error) {
	if !s.polls {
		for {
			n, err := syscall.Read(s.fd, b)
			switch {
			case err == syscall.EINTR:
			case err != nil:
				return 0, err
			case n == 0 && len(b) > 0:
				return 0, io.EOF
			default:
				return n, nil
			}
		}
	}
	for turn := 0; ; turn++ {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(s.fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), syscall.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			if n == 0 && len(b) > 0 {
				return 0, io.EOF
			}
			return int(n), nil
		case syscall.EAGAIN, syscall.EINTR:
			pause(turn, pollsAwake)
		default:
			return 0, errno
		}
	}
}

func (s *threadStream) Write(b []byte) (n int, err error) {
	for turn := 0; n < len(b); turn++ {
		k := 0
		if s.polls {
			k, err = sendNow(uintptr(s.fd), b[n:])
		} else if k, err = unix.SendmsgN(s.fd, b[n:], nil, nil, unix.MSG_NOSIGNAL); err == syscall.EINTR {
			err = nil
		}
		if err != nil {
			return n, err
		}
		if n += max(k, 0); k <= 0 && s.polls {
			pause(turn, pollsAwake)
		}
	}
	return n, nil
}

// A rank sleeps between polls after spins of them, in the loop of a threadStream once in pollsAwake
// polls.
const (
	spins      = 20_000
	pollsAwake = 64
)

// pause sleeps after one in often polls of a long loop.
func pause(turn, often int) {
	if turn > spins && turn%often == 0 {
		time.Sleep(50 * time.Microsecond)
	}
}

func (s *threadStream) TryWrite(b []byte) (int, error) { return sendNow(uintptr(s.fd), b) }
func (s *threadStream) Readable() bool                 { return readable(uintptr(s.fd)) }

func (s *threadStream) control(f func(fd int)) { f(s.fd) }

func (s *threadStream) Close() error { return syscall.Close(s.fd) }

// SetDeadline ends the connection, whatever the time, with all that has arrived and was not read.
// It does not close the descriptor, whose number the next file would get: another thread could
// still write to that.
func (s *threadStream) SetDeadline(time.Time) error {
	err := syscall.Shutdown(s.fd, syscall.SHUT_RDWR) // ends calls under way
	pair, e := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if e != nil { // what has arrived is read once more
		return err
	}
	defer unix.Close(pair[0])
	unix.Close(pair[1])
	return errors.Join(err, unix.Dup3(pair[0], s.fd, unix.O_CLOEXEC))
}

// sendNow writes what the kernel has room for.
func sendNow(fd uintptr, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case syscall.EAGAIN, syscall.EINTR, syscall.ENOBUFS, syscall.ENOMEM:
		return 0, nil
	}
	return 0, errno
}

func readable(fd uintptr) bool {
	list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(list, 0)
	return err == nil && n > 0
}
