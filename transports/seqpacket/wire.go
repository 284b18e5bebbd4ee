package seqpacket

import (
	"slices"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

const (
	// packetSize is the most data of one packet. Six of them fit the kernel's
	// default send buffer, so both sides copy at the same time.
	packetSize = 32 << 10
	// sweepEvery bounds the polls in a row that read from the hinted peer alone.
	sweepEvery = 16
)

// wire is one rank's sockets. A packet on a socket is the header followed by the
// data: the kernel keeps them together and in order.
type wire struct {
	rank    int
	fds     []int // by rank; -1 for this rank and for peers that have failed
	in, out []byte
	polls   uint
	limits  protocol.Limits
}

func newWire(rank, size int) *wire {
	w := &wire{rank: rank, fds: slices.Repeat([]int{-1}, size),
		in: make([]byte, protocol.HeaderSize+packetSize), out: make([]byte, protocol.HeaderSize+packetSize)}
	w.limit(packetSize)
	return w
}

// limit sets the most data of a packet.
func (w *wire) limit(size int) {
	w.limits.Packet, w.limits.Fragment, w.limits.EagerLimit = size, size, size
}

// ready switches the connected sockets to non-blocking, and lowers the size of packets to what
// their send buffers take: the kernel refuses longer ones.
func (w *wire) ready() error {
	for _, fd := range w.fds {
		if fd < 0 {
			continue
		}
		if err := unix.SetNonblock(fd, true); err != nil {
			return err
		}
		sndbuf, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
		if err != nil {
			return err
		}
		w.limits.MemoryPerPair = 2 * int64(sndbuf)
		w.limit(min(w.limits.Packet, sndbuf/4-protocol.HeaderSize))
	}
	return nil
}

func (w *wire) Limits() protocol.Limits { return w.limits }

// Push writes one packet. The reading side detects the end of a peer, so that what it sent before
// is delivered first; until then packets to it are dropped here.
func (w *wire) Push(peer int, h protocol.Header, data []byte) bool {
	if w.fds[peer] < 0 {
		return true
	}
	h.Encode(w.out)
	n := copy(w.out[protocol.HeaderSize:], data)
	_, err := unix.Write(w.fds[peer], w.out[:protocol.HeaderSize+n])
	switch err {
	case unix.EAGAIN, unix.EINTR, unix.ENOBUFS:
		return false
	}
	return true
}

// Poll reads one packet from the hinted peer, or one from each.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	w.polls++
	if from >= 0 && from != w.rank && w.polls%sweepEvery != 0 {
		return w.read(from, sink)
	}
	did := false
	for peer := range w.fds {
		did = w.read(peer, sink) || did
	}
	return did
}

// Idle polls all peers: the end of a peer is the end of its socket.
func (w *wire) Idle(sink protocol.Sink) { w.Poll(-1, sink) }

// read reads one packet from a peer, or detects its end.
func (w *wire) read(peer int, sink protocol.Sink) bool {
	fd := w.fds[peer]
	if fd < 0 {
		return false
	}
	n, err := unix.Read(fd, w.in)
	switch {
	case err == unix.EAGAIN, err == unix.EINTR:
		return false
	case err == unix.ECONNRESET:
		// It ended without reading everything. The kernel reports that first, and what it sent
		// next.
		return true
	case err != nil:
		w.fail(peer, err.Error(), sink)
	case n == 0:
		w.fail(peer, "it closed its socket: its process has ended", sink)
	case n < protocol.HeaderSize:
		w.fail(peer, "it sent a packet without a header", sink)
	default:
		sink.Packet(peer, protocol.DecodeHeader(w.in), w.in[protocol.HeaderSize:n])
	}
	return true
}

func (w *wire) fail(peer int, cause string, sink protocol.Sink) {
	unix.Close(w.fds[peer])
	w.fds[peer] = -1
	sink.Failed(peer, cause)
}

// Close closes the sockets. The peers can still read what was pushed.
func (w *wire) Close() error {
	for peer, fd := range w.fds {
		if fd >= 0 {
			unix.Close(fd)
			w.fds[peer] = -1
		}
	}
	return nil
}
