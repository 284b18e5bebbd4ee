package sctp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/netif"
)

// Options at level SOL_SCTP, control messages, flags and notifications of linux/sctp.h.
const (
	levelSCTP = 132

	optionRTO          = 0
	optionAssociation  = 1
	optionNodelay      = 3
	optionPeerAddress  = 9
	optionEvents       = 11
	optionReceivedInfo = 32

	controlSendInfo     = 2
	controlReceivedInfo = 3

	flagAbort        = 0x4    // of a send: the association ends immediately, and what it sends is freed
	flagEOF          = 0x200  // of a send: the association ends behind it
	flagNotification = 0x8000 // of a received message

	notifyAssociation = 0x8001
	notifyShutdown    = 0x8005

	stateLost     = 1 // of an association
	stateShutdown = 3
	stateNotMade  = 4
)

// sendInfo is struct sctp_sndinfo.
type sendInfo struct {
	stream, flags uint16
	ppid, context uint32
	association   int32
}

// receivedInfo is struct sctp_rcvinfo.
type receivedInfo struct {
	stream, sequence, flags uint16
	_                       uint16
	ppid, tsn, cumulative   uint32
	context                 uint32
	association             int32
}

// control is the ancillary data of a message: its header and one of the two.
type control[T any] struct {
	head unix.Cmsghdr
	info T
}

// endpoint makes the system calls of an SCTP socket. They are raw, because they never block and the
// Go scheduler need not know of them.
type endpoint struct {
	fd       int
	iov      [2]syscall.Iovec
	message  syscall.Msghdr
	sending  control[sendInfo]
	received control[receivedInfo]
}

// socket makes a socket of one-to-many style.
func socket(family int) (int, error) {
	return unix.Socket(family, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_SCTP)
}

// inForce returns the options of the socket that the kernel has in force, and the sizes of its
// buffers, which the kernel chooses.
func (e *endpoint) inForce() (m, found map[string]string) {
	m, found = map[string]string{"family": "4"}, map[string]string{}
	for name, option := range map[string]int{"sndbuf_kernel": unix.SO_SNDBUF, "rcvbuf_kernel": unix.SO_RCVBUF} {
		if n, err := unix.GetsockoptInt(e.fd, unix.SOL_SOCKET, option); err == nil {
			found[name] = fmt.Sprint(n)
		}
	}
	if domain, _ := unix.GetsockoptInt(e.fd, unix.SOL_SOCKET, unix.SO_DOMAIN); domain == unix.AF_INET6 {
		m["family"] = "6"
	}
	return m, found
}

// listen opens a socket at an address, on a port that the kernel chooses, and returns the port.
func listen(at netip.Addr, set settings) (*endpoint, uint16, error) {
	family := unix.AF_INET6
	if at.Is4() {
		family = unix.AF_INET
	}
	fd, err := socket(family)
	if err != nil {
		return nil, 0, explainSocket(err)
	}
	e := &endpoint{fd: fd}
	if err = e.configure(set); err == nil {
		err = unix.Bind(fd, netif.Sockaddr(netip.AddrPortFrom(at, 0)))
	}
	if err == nil {
		err = unix.Listen(fd, 1)
	}
	var own unix.Sockaddr
	if err == nil {
		own, err = unix.Getsockname(fd)
	}
	if err != nil {
		unix.Close(fd)
		return nil, 0, err
	}
	switch a := own.(type) {
	case *unix.SockaddrInet4:
		return e, uint16(a.Port), nil
	case *unix.SockaddrInet6:
		return e, uint16(a.Port), nil
	}
	unix.Close(fd)
	return nil, 0, fmt.Errorf("the kernel has bound an SCTP socket to %T", own)
}

// tries is the number of retransmissions and heartbeats without an answer after which the kernel
// gives an association up.
const tries = 4

// configure sets the options of the socket: which notifications come, and when a peer is lost.
func (e *endpoint) configure(set settings) error {
	set32 := func(option int, words ...uint32) error {
		b := make([]byte, 0, 4*len(words))
		for _, w := range words {
			b = binary.NativeEndian.AppendUint32(b, w)
		}
		return unix.SetsockoptString(e.fd, levelSCTP, option, string(b))
	}
	nodelay := uint32(0)
	if set.nodelay {
		nodelay = 1
	}
	// A retransmission or heartbeat in each part of the time, the last of which is waited for.
	part := uint32(set.silence / time.Millisecond / (tries + 1))
	var association [20]byte // struct sctp_assocparams: asocmaxrxt behind the association's number
	binary.NativeEndian.PutUint16(association[4:], tries)
	var address [156]byte // struct sctp_paddrparams, which is packed: interval, retransmissions, ..., flags
	binary.NativeEndian.PutUint32(address[132:], part)
	binary.NativeEndian.PutUint16(address[136:], tries)
	const heartbeats = 1
	binary.NativeEndian.PutUint32(address[146:], heartbeats)
	var events [14]byte // struct sctp_event_subscribe: ends of associations
	events[1], events[5] = 1, 1
	for _, o := range []struct {
		name string
		err  error
	}{
		{"SCTP_NODELAY", set32(optionNodelay, nodelay)},
		{"SCTP_RECVRCVINFO", set32(optionReceivedInfo, 1)},
		{"SCTP_RTOINFO", set32(optionRTO, 0, min(part, 1000), part, min(part, 200))},
		{"SCTP_ASSOCINFO", unix.SetsockoptString(e.fd, levelSCTP, optionAssociation, string(association[:]))},
		{"SCTP_PEER_ADDR_PARAMS", unix.SetsockoptString(e.fd, levelSCTP, optionPeerAddress, string(address[:]))},
		{"SCTP_EVENTS", unix.SetsockoptString(e.fd, levelSCTP, optionEvents, string(events[:]))},
		{"SO_SNDBUF", e.buffer(unix.SO_SNDBUF, set.sndbuf)},
		{"SO_RCVBUF", e.buffer(unix.SO_RCVBUF, set.rcvbuf)},
	} {
		if o.err != nil {
			return fmt.Errorf("setting %s: %w", o.name, o.err)
		}
	}
	return nil
}

func (e *endpoint) buffer(option, bytes int) error {
	if bytes == 0 {
		return nil
	}
	return unix.SetsockoptInt(e.fd, unix.SOL_SOCKET, option, bytes)
}

// invite sends the first message of an association to an address, which makes it. It reports false
// where there is no room now.
func (e *endpoint) invite(to netip.AddrPort, greeting []byte) (bool, syscall.Errno) {
	errno, _ := unix.Sendto(e.fd, greeting, unix.MSG_NOSIGNAL, netif.Sockaddr(to)).(syscall.Errno)
	return sent(errno)
}

// write sends a message of two parts. It reports false where there is no room now.
func (e *endpoint) write(association int32, head, data []byte, flags uint16) (bool, syscall.Errno) {
	e.iov[0].Base, e.iov[1].Base = unsafe.SliceData(head), unsafe.SliceData(data)
	e.iov[0].SetLen(len(head))
	e.iov[1].SetLen(len(data))
	c := &e.sending
	c.head = unix.Cmsghdr{Level: levelSCTP, Type: controlSendInfo}
	c.head.SetLen(int(unsafe.Sizeof(*c)))
	c.info = sendInfo{flags: flags, association: association}
	e.message = syscall.Msghdr{Iov: &e.iov[0], Iovlen: 2, Control: (*byte)(unsafe.Pointer(c))}
	e.message.SetControllen(int(unsafe.Sizeof(*c)))
	if len(head) == 0 {
		e.message.Iovlen = 0
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_SENDMSG, uintptr(e.fd), uintptr(unsafe.Pointer(&e.message)), syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
	return sent(errno)
}

// sent classifies the result of a send: whether it is over, and its error.
func sent(errno syscall.Errno) (bool, syscall.Errno) {
	switch errno {
	case syscall.EAGAIN, syscall.EINTR, syscall.ENOBUFS, syscall.ENOMEM:
		return false, 0
	case syscall.EINPROGRESS: // it is sent once the association is made
		return true, 0
	}
	return true, errno
}

// read receives a message, or a part of one, of any peer. more reports that parts follow.
func (e *endpoint) read(b []byte) (n int, association int32, notification, more bool, err syscall.Errno) {
	e.iov[0].Base = unsafe.SliceData(b)
	e.iov[0].SetLen(len(b))
	e.message = syscall.Msghdr{Iov: &e.iov[0], Iovlen: 1, Control: (*byte)(unsafe.Pointer(&e.received))}
	e.message.SetControllen(int(unsafe.Sizeof(e.received)))
	e.received = control[receivedInfo]{}
	got, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, uintptr(e.fd), uintptr(unsafe.Pointer(&e.message)), syscall.MSG_DONTWAIT)
	if errno != 0 {
		return 0, 0, false, false, errno
	}
	association = -1
	if e.received.head.Type == controlReceivedInfo {
		association = e.received.info.association
	}
	flags := int(e.message.Flags)
	return int(got), association, flags&flagNotification != 0, flags&unix.MSG_EOR == 0, 0
}

// notMade is the cause of an association that was never there.
const notMade = "no association could be made: nobody answers at the address of a rank"

// ended reads a notification: the association that has ended, and why; ok is false if none has.
func ended(b []byte) (association int32, cause string, ok bool) {
	if len(b) < 12 {
		return 0, "", false
	}
	word := binary.NativeEndian
	switch word.Uint16(b) {
	case notifyShutdown: // struct sctp_shutdown_event
		return int32(word.Uint32(b[8:])), "it closed its socket: its process has ended", true
	case notifyAssociation: // struct sctp_assoc_change
		if len(b) < 20 {
			return 0, "", false
		}
		association = int32(word.Uint32(b[16:]))
		switch word.Uint16(b[8:]) {
		case stateLost:
			return association, "its association is lost: its process has ended, or its host does not answer", true
		case stateShutdown:
			return association, "it closed its socket: its process has ended", true
		case stateNotMade:
			return association, notMade, true
		}
	}
	return 0, "", false
}

// isOver reports whether a notification says that an association has ended for good, and not only
// that the peer sends nothing more.
func isOver(b []byte) bool { return binary.NativeEndian.Uint16(b) == notifyAssociation }
