package tcp

import (
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// pollLink is the link of engine poll: the rank's own thread makes every system call, on a
// non-blocking socket that is not registered with Go's network poller. No other thread is involved.
type pollLink struct{ socket }

func newPollLink(conn connection) (link, error) {
	fd, err := detach(conn)
	if err != nil {
		return nil, err
	}
	return &pollLink{socket{fd: fd}}, nil
}

func (l *pollLink) read(a, b []byte) (int, error)     { return l.receive(a, b) }
func (l *pollLink) write(a, b, c []byte) (int, error) { return l.send(a, b, c) }
func (l *pollLink) close() error                      { return syscall.Close(l.fd) }

// detach returns a descriptor of the socket outside of Go's network poller, which every arrival
// would otherwise wake, and closes conn. The socket stays non-blocking.
func detach(conn connection) (fd int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	var dupErr error
	if err := raw.Control(func(old uintptr) {
		var n uintptr
		var errno syscall.Errno
		n, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, old, syscall.F_DUPFD_CLOEXEC, 0)
		if fd = int(n); errno != 0 {
			dupErr = errno
		}
	}); err != nil {
		return -1, err
	}
	if dupErr != nil {
		return -1, dupErr
	}
	return fd, conn.Close()
}

// fewPeers is the number of peers up to which all are read one after another. With more, one ppoll
// selects those that have sent something: it costs about as much as three reads that find nothing,
// and unlike epoll it costs the senders nothing.
const fewPeers = 4

// readiness selects the peers that have sent something, by one system call: ppoll, until the rank
// sleeps for the first time. From then on it is epoll, because ppoll would look at all sockets
// twice for each sleep.
type readiness struct {
	fds   []unix.PollFd
	peers []*peer
	epoll int // -1 until the rank sleeps
	found [16]unix.EpollEvent
}

func newReadiness(peers []*peer) *readiness {
	r := &readiness{epoll: -1}
	for _, p := range peers {
		r.add(p)
	}
	return r
}

func (r *readiness) add(p *peer) {
	r.fds = append(r.fds, unix.PollFd{Fd: int32(p.in.link.descriptor()), Events: unix.POLLIN})
	r.peers = append(r.peers, p)
	if r.epoll >= 0 {
		r.watch(p)
	}
}

// arm makes epoll readable while a peer has sent something, and reports whether the kernel has one.
func (r *readiness) arm() bool {
	if r.epoll >= 0 {
		return true
	}
	var err error
	if r.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		r.epoll = -1
	}
	for _, p := range r.peers {
		if r.epoll >= 0 {
			r.watch(p)
		}
	}
	return r.epoll >= 0
}

// watch adds a peer to epoll. If the kernel refuses, epoll is not used any more.
func (r *readiness) watch(p *peer) {
	if p.closed {
		return
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(p.rank)}
	if unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, p.in.link.descriptor(), &event) != nil {
		r.close()
	}
}

// sweep reads from all peers but one that have something.
func (r *readiness) sweep(w *wire, sink protocol.Sink, but int) (did bool) {
	if r.epoll >= 0 {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(r.epoll), uintptr(unsafe.Pointer(&r.found)),
			uintptr(len(r.found)), 0, 0, 0)
		if errno != 0 {
			return false
		}
		for _, e := range r.found[:n] {
			did = int(e.Fd) != but && w.receive(w.peers[e.Fd], sink) || did
		}
		return did
	}
	var now syscall.Timespec
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(r.fds))),
		uintptr(len(r.fds)), uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	if errno != 0 || n == 0 {
		return false
	}
	for i := 0; i < len(r.fds); i++ {
		if p := r.peers[i]; r.fds[i].Revents != 0 {
			r.fds[i].Revents = 0
			did = p.rank != but && w.receive(p, sink) || did
			if i < len(r.peers) && r.peers[i] != p {
				i-- // p was removed, and the next one has its index
			}
		}
	}
	return did
}

// close frees the descriptor of epoll.
func (r *readiness) close() {
	if r.epoll >= 0 {
		syscall.Close(r.epoll)
		r.epoll = -1
	}
}

func (r *readiness) drop(p *peer) {
	i := slices.Index(r.peers, p)
	if i < 0 {
		return
	}
	r.fds, r.peers = slices.Delete(r.fds, i, i+1), slices.Delete(r.peers, i, i+1)
	if r.epoll >= 0 && !p.closed { // epoll drops closed sockets by itself
		unix.EpollCtl(r.epoll, unix.EPOLL_CTL_DEL, p.in.link.descriptor(), nil)
	}
}
