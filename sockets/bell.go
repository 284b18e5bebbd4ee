package sockets

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A bell wakes a sleeping peer: a Unix socket on which single bytes without meaning are sent. Go's
// network poller waits for them, so a sleeping goroutine holds no thread, and the kernel reports
// the end of the peer's process.
type bell struct {
	conn bellConn
	raw  syscall.RawConn
	buf  [64]byte
	dead atomic.Bool // the peer's end is closed

	send, peek func(fd uintptr) // the system calls of ring and alive, made once
	peeked     [1]byte
}

// bellConn is implemented by *net.UnixConn and *os.File.
type bellConn interface {
	io.ReadCloser
	syscall.Conn
	SetReadDeadline(time.Time) error
}

var oneByte = [1]byte{1}

func newBell(conn bellConn) (*bell, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	b := &bell{conn: conn, raw: raw}
	b.send = func(fd uintptr) {
		// A full socket holds bells that were not heard yet.
		if err := unix.Send(int(fd), oneByte[:], unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL); err == unix.EPIPE || err == unix.ECONNRESET {
			b.dead.Store(true)
		}
	}
	b.peek = func(fd uintptr) {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&b.peeked)), 1,
			unix.MSG_DONTWAIT|unix.MSG_PEEK, 0, 0)
		if errno == 0 && n == 0 || errno == unix.ECONNRESET {
			b.dead.Store(true)
		}
	}
	return b, nil
}

// ring wakes the peer. It does not block.
func (b *bell) ring() { b.raw.Control(b.send) }

// alive asks the kernel whether the peer's end is open.
func (b *bell) alive() bool {
	b.raw.Control(b.peek)
	return !b.dead.Load()
}

// wait blocks until the peer rings. The error is os.ErrDeadlineExceeded after the deadline of the
// bell, and another one when either end was closed.
func (b *bell) wait() error {
	_, err := b.conn.Read(b.buf[:])
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	b.dead.Store(true)
	return err
}

// interrupt ends the wait of a goroutine of this process.
func (b *bell) interrupt() { b.conn.SetReadDeadline(past) }

// past is a deadline that has passed.
var past = time.Unix(1, 0)
