package tcp

import (
	"io"
	"runtime"
	"syscall"
)

// netLink is the link of engine net: net.Conn and Go's network poller, with a goroutine per
// connection that reads. It is the design of the thesis' niodev: readiness selection in a thread of
// its own, which wakes the waiting thread.
type netLink struct {
	socket
	reader
	conn connection
	raw  syscall.RawConn

	try     func(fd uintptr) bool
	a, b, c []byte // what try sends,
	sent    int    // bytes that it sent
	failed  error
}

func newNetLink(conn connection) (link, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	l := &netLink{conn: conn, raw: raw}
	if err := raw.Control(func(fd uintptr) { l.fd = int(fd) }); err != nil {
		return nil, err
	}
	l.try = func(uintptr) bool {
		l.sent, l.failed = l.send(l.a, l.b, l.c)
		return true // never wait: the rank tries again
	}
	l.reader.start(conn.Read)
	return l, nil
}

func (l *netLink) read(a, b []byte) (int, error) { return l.collect(a, b) }

func (l *netLink) write(a, b, c []byte) (int, error) {
	l.a, l.b, l.c = a, b, c
	if err := l.raw.Write(l.try); err != nil {
		return 0, err
	}
	return l.sent, l.failed
}

func (l *netLink) close() error {
	err := l.conn.Close()
	l.join()
	return err
}

// netYield lets the readers run after each unsuccessful poll.
func netYield(uint) { runtime.Gosched() }

// streamLink is the link of engine stream: a blocking socket that a goroutine with a thread of its
// own reads, while the rank polls for the result. It is the design of iodev of the papers: an input
// handler on a java.net.Socket, and a wait that polls and yields from time to time.
type streamLink struct {
	socket
	reader
}

func newStreamLink(conn connection) (link, error) {
	fd, err := detach(conn)
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	l := &streamLink{socket: socket{fd: fd}}
	l.reader.start(l.block)
	return l, nil
}

// block reads at least one byte.
func (l *streamLink) block(buf []byte) (int, error) {
	for {
		n, err := syscall.Read(l.fd, buf)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (l *streamLink) read(a, b []byte) (int, error)     { return l.collect(a, b) }
func (l *streamLink) write(a, b, c []byte) (int, error) { return l.send(a, b, c) }

func (l *streamLink) close() error {
	syscall.Shutdown(l.fd, syscall.SHUT_RDWR) // interrupts the pending read
	l.join()
	return syscall.Close(l.fd)
}

// streamYield yields once in many polls, as the wait of iodev does.
func streamYield(turn uint) {
	if turn%16 == 0 {
		runtime.Gosched()
	}
}
