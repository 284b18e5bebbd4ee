package tcp

import (
	"io"
	"runtime"
	"syscall"
)

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
