package tcp

import (
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
