package netif

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Watch measures how long the remote host of a connected TCP socket has not answered. The zero
// value is ready. It makes one system call for each question, and allocates nothing.
type Watch struct {
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
	mtu                 uint32 // of the way, bytes
}

// waits reports whether an answer is due.
func (p *pathInfo) waits() bool { return p.retransmits > 0 || p.probes > 0 }

const (
	levelMPTCP   = 284 // SOL_MPTCP of linux/socket.h
	mptcpTCPInfo = 2   // MPTCP_TCPINFO of linux/mptcp.h, since Linux 5.16
)

// Silent returns the time since the kernel's last answer from the remote host, if one is due. With
// Multipath TCP it describes the path with the last answer: the others may be cut while the host
// answers there. It is 0 for sockets that do not report it, such as those of vsock and SMC.
func (w *Watch) Silent(fd int, now time.Time) (time.Duration, error) {
	const headerSize = 16
	w.paths = paths{header: headerSize, user: uint32(unsafe.Sizeof(pathInfo{}))}
	if !w.single {
		w.single = ask(fd, levelMPTCP, mptcpTCPInfo, unsafe.Pointer(&w.paths), unsafe.Sizeof(w.paths)) != 0
	}
	if w.single {
		errno := ask(fd, syscall.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&w.paths.of), unsafe.Sizeof(pathInfo{}))
		if errno == syscall.ENOPROTOOPT || errno == syscall.EOPNOTSUPP {
			return 0, nil
		}
		if errno != 0 {
			return 0, errno
		}
	}
	return w.silence.since(w.paths.last(), now), nil
}

// Packet returns the size of the longest packet that has had no answer, in bytes, after Silent; 0
// if there is none or it is not known.
func (w *Watch) Packet(fd int) int {
	const headers = 40 // of IPv4 and TCP
	waiting, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
	if err != nil || waiting == 0 || w.paths.last().mtu == 0 {
		return 0
	}
	return min(waiting+headers, int(w.paths.last().mtu))
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
func ask(fd int, level, option uintptr, into unsafe.Pointer, size uintptr) syscall.Errno {
	n := uint32(size)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_GETSOCKOPT, uintptr(fd), level, option, uintptr(into), uintptr(unsafe.Pointer(&n)), 0)
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

// everPassed is a size of packets that every network carries, in bytes: the least MTU of IPv6.
const everPassed = 1280

// DescribeSilence returns the cause of a connection's end: a host that has not answered for d, or
// has answered short packets alone. packet comes from Watch.Packet, and answered from Answers.
func DescribeSilence(host string, d time.Duration, packet int, answered bool) string {
	if packet > everPassed && answered {
		return fmt.Sprintf("its host %s answers short packets, but for %v none of %d bytes: compare the MTUs of both hosts and of what is between them (ip link; ping -M do -s %d %[1]s)",
			host, d.Round(time.Second/10), packet, packet-28)
	}
	return fmt.Sprintf("its host %s does not answer any more (no answer for %v: %v)", host, d.Round(time.Second/10), syscall.ETIMEDOUT)
}

// Answers connects to an address within d, where nobody need listen: a refusal is an answer, too.
// The result becomes true when an answer has come.
func Answers(address string, d time.Duration) *atomic.Bool {
	answered := new(atomic.Bool)
	go func() {
		c, err := net.DialTimeout("tcp", address, d)
		if err == nil {
			c.Close()
		}
		answered.Store(err == nil || errors.Is(err, syscall.ECONNREFUSED))
	}()
	return answered
}
