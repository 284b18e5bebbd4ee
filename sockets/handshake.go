package sockets

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/sharedmem"
)

// The handshake runs over the Unix socket by which the dialing side reaches the listener.
//
//	dialer    hello    magic 8 | version 2 | channel 2 | buffer 4 | mark address 8 | mark 16 | address 16
//	                   | IP version 1 | zero 7 = 64 bytes, with the descriptors of the memory and of the
//	                   second bell
//	listener  welcome  magic 8 | version 2 | status 2 | number 4 | mark address 8 | mark 16 = 40 bytes
//
// First, both sides check that the other has the same user id, by the credentials that the kernel
// keeps of the socket. A mark is 16 random bytes in the memory of a process: a side that can read
// the mark of the other at its address can also copy the data of offers from there.
const (
	magic       = "gosocket"
	version     = 1
	helloSize   = 64
	welcomeSize = 40
	markSize    = 16

	// handshakeTimeout bounds a handshake, which the listener runs without its user.
	handshakeTimeout = time.Second
)

// A channel carries the data of a connection inside a host. The fastest is the first.
type channel uint16

const (
	overMemory channel = iota
	overUnix           // the Unix socket itself, if memory cannot be shared
	overTCP            // nothing inside the host
)

// status is the answer to a hello.
type status uint16

const (
	welcomeMemory status = iota
	welcomeUnix
	refused // the dialing side falls back to TCP
)

type mark [markSize]byte

// ownMark returns the mark of this process.
var ownMark = sync.OnceValue(func() *mark {
	m := new(mark)
	rand.Read(m[:])
	return m
})

func (m *mark) address() uint64 { return uint64(uintptr(unsafe.Pointer(m))) }

// reachable reports whether this process can read the mark of process pid at its address.
func reachable(pid int, address uint64, m mark) bool {
	var there mark
	return pid > 0 && sharedmem.Copy(pid, there[:], uintptr(address), false) == nil && there == m
}

type hello struct {
	channel     channel
	buffer      uint32
	markAddress uint64
	mark        mark
	address     netip.Addr // to which the dialing side connects
}

func (h hello) encode() []byte {
	b := append(make([]byte, 0, helloSize), magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.channel))
	b = binary.LittleEndian.AppendUint32(b, h.buffer)
	b = binary.LittleEndian.AppendUint64(b, h.markAddress)
	b = append(b, h.mark[:]...)
	a := h.address.As16()
	b = append(b, a[:]...)
	if h.address.Is4() {
		b = append(b, 4)
	} else {
		b = append(b, 6)
	}
	return b[:helloSize]
}

var errHandshake = errors.New("the peer does not speak this protocol")

func decodeHello(b []byte) (h hello, err error) {
	if len(b) != helloSize || string(b[:8]) != magic || binary.LittleEndian.Uint16(b[8:]) != version {
		return h, errHandshake
	}
	h.channel = channel(binary.LittleEndian.Uint16(b[10:]))
	h.buffer = binary.LittleEndian.Uint32(b[12:])
	h.markAddress = binary.LittleEndian.Uint64(b[16:])
	h.mark = mark(b[24:])
	h.address = netip.AddrFrom16([16]byte(b[40:]))
	if b[56] == 4 {
		h.address = h.address.Unmap()
	}
	if h.channel >= overTCP || h.buffer < minBuffer || h.buffer > maxBuffer || h.buffer&(h.buffer-1) != 0 {
		return h, errHandshake
	}
	return h, nil
}

type welcome struct {
	status      status
	number      uint16 // of the connection, in place of the port of the dialing side
	markAddress uint64
	mark        mark
}

func (w welcome) encode() []byte {
	b := append(make([]byte, 0, welcomeSize), magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, uint16(w.status))
	b = binary.LittleEndian.AppendUint32(b, uint32(w.number))
	b = binary.LittleEndian.AppendUint64(b, w.markAddress)
	return append(b, w.mark[:]...)
}

func decodeWelcome(b []byte) (w welcome, err error) {
	if len(b) != welcomeSize || string(b[:8]) != magic || binary.LittleEndian.Uint16(b[8:]) != version {
		return w, errHandshake
	}
	w.status = status(binary.LittleEndian.Uint16(b[10:]))
	w.number = uint16(binary.LittleEndian.Uint32(b[12:]))
	w.markAddress = binary.LittleEndian.Uint64(b[16:])
	w.mark = mark(b[24:])
	if w.status > refused {
		return w, errHandshake
	}
	return w, nil
}

// peerOf returns the process at the other end of a Unix socket. It refuses other users, and the
// user id that stands for those of other user namespaces.
func peerOf(c *net.UnixConn) (pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	if e := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		return 0, e
	}
	const unmapped = 65534
	switch {
	case err != nil:
		return 0, err
	case int(cred.Uid) != os.Getuid() || cred.Uid == unmapped:
		return 0, fmt.Errorf("the peer's user id is %d", cred.Uid)
	}
	return int(cred.Pid), nil
}

// shared is the memory and the second bell of a connection that has yet to begin.
type shared struct {
	mem  []byte
	room *bell
}

func (s *shared) close() {
	if s.room != nil {
		s.room.conn.Close()
	}
	if s.mem != nil {
		unix.Munmap(s.mem)
	}
	*s = shared{}
}

// newShared makes memory and the second bell. It returns the descriptors for the peer as well,
// which the caller closes.
func newShared(buffer int) (s shared, fds []int, err error) {
	fd, mem, err := createSegment(buffer)
	if err != nil {
		return shared{}, nil, err
	}
	s.mem = mem
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		unix.Close(fd)
		s.close()
		return shared{}, nil, err
	}
	fds = []int{fd, pair[1]}
	if s.room, err = newBell(os.NewFile(uintptr(pair[0]), "bell")); err != nil {
		closeAll(fds)
		s.close()
		return shared{}, nil, err
	}
	return s, fds, nil
}

// openShared maps memory and opens the second bell from descriptors of the peer, which it owns.
func openShared(fds []int, buffer int) (s shared, err error) {
	if len(fds) != 2 {
		closeAll(fds)
		return s, errHandshake
	}
	defer unix.Close(fds[0])
	if kind, err := unix.GetsockoptInt(fds[1], unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || kind != unix.AF_UNIX {
		unix.Close(fds[1])
		return s, errHandshake
	}
	if err := unix.SetNonblock(fds[1], true); err != nil {
		unix.Close(fds[1])
		return s, err
	}
	if s.room, err = newBell(os.NewFile(uintptr(fds[1]), "bell")); err != nil {
		return s, err
	}
	if s.mem, err = openSegment(fds[0], buffer); err != nil {
		s.close()
	}
	return s, err
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// receive fills b from the socket, with at most want descriptors on the way.
func receive(c *net.UnixConn, b []byte, want int) (fds []int, err error) {
	oob := make([]byte, unix.CmsgSpace(4*(want+1)))
	for at := 0; at < len(b); {
		n, oobn, flags, _, err := c.ReadMsgUnix(b[at:], oob)
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		got := rights(oob[:oobn])
		fds = append(fds, got...)
		if err == nil && (flags&unix.MSG_CTRUNC != 0 || len(fds) > want) {
			err = errHandshake
		}
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		at += n
	}
	return fds, nil
}

func rights(oob []byte) (fds []int) {
	list, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for i := range list {
		if got, err := unix.ParseUnixRights(&list[i]); err == nil {
			fds = append(fds, got...)
		}
	}
	return fds
}

// shake runs a side of the handshake on c, which it owns, within handshakeTimeout and until ctx
// ends. It returns nil if that fails.
func shake(ctx context.Context, c *net.UnixConn, side func(*net.UnixConn) (net.Conn, error)) net.Conn {
	c.SetDeadline(time.Now().Add(handshakeTimeout)) // before ctx can set one that has passed
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(past) })
	fast, err := side(c)
	if stop() && err == nil {
		return fast
	}
	if fast == nil {
		fast = c
	}
	fast.Close()
	return nil
}

// greet runs the dialing side of the handshake, until the deadline of c, which it removes. It uses
// no channel before first. It owns c if it returns no error. An error is a reason to fall back to
// TCP.
func greet(c *net.UnixConn, s settings, to netip.AddrPort, first channel) (net.Conn, error) {
	pid, err := peerOf(c)
	if err != nil {
		return nil, err
	}
	h := hello{channel: overUnix, buffer: uint32(s.buffer), markAddress: ownMark().address(), mark: *ownMark(), address: to.Addr()}
	var own shared
	var fds []int
	if first == overMemory {
		if own, fds, err = newShared(s.buffer); err == nil {
			h.channel = overMemory
		}
	}
	w, err := h.exchange(c, fds)
	if err != nil {
		own.close()
		return nil, err
	}
	c.SetDeadline(time.Time{})
	local := &net.TCPAddr{IP: to.Addr().AsSlice(), Port: int(w.number)}
	remote := net.TCPAddrFromAddrPort(to)
	if w.status == welcomeUnix {
		own.close()
		return &unixConn{c, local, remote}, nil
	}
	return begin(0, own, c, s, pid, reachable(pid, w.markAddress, w.mark), local, remote)
}

// exchange sends h with descriptors, which it closes, and returns the answer of the listener.
func (h hello) exchange(c *net.UnixConn, fds []int) (w welcome, err error) {
	_, _, err = c.WriteMsgUnix(h.encode(), unix.UnixRights(fds...), nil)
	closeAll(fds)
	if err != nil {
		return w, err
	}
	b := make([]byte, welcomeSize)
	if _, err = receive(c, b, 0); err != nil {
		return w, err
	}
	w, err = decodeWelcome(b)
	if err == nil && (w.status == refused || w.status == welcomeMemory && h.channel != overMemory) {
		err = errHandshake
	}
	return w, err
}

// begin returns the connection in memory of a side.
func begin(side int, own shared, c *net.UnixConn, s settings, pid int, reach bool, local, remote *net.TCPAddr) (net.Conn, error) {
	data, err := newBell(c)
	if err != nil {
		own.close()
		return nil, err
	}
	word := uint64(reachNo)
	if reach {
		word = reachYes
	}
	atomic.StoreUint64(reachOf(own.mem, side), word)
	return newConn(side, own.mem, data, own.room, s, pid, local, remote), nil
}

// unixConn is a connection inside a host without shared memory.
type unixConn struct {
	*net.UnixConn
	local, remote *net.TCPAddr
}

func (c *unixConn) LocalAddr() net.Addr  { return c.local }
func (c *unixConn) RemoteAddr() net.Addr { return c.remote }
