package sctp

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// packetSize is the most data of one packet. Several fit the buffers, so both sides copy at the
// same time.
const packetSize = 32 << 10

// receives bounds the messages that one Poll takes.
const receives = 16

// wire is one rank's socket and the associations with its peers.
type wire struct {
	rank   int
	set    settings
	limits protocol.Limits
	socket *endpoint
	peers  []*peer         // by rank; nil for this rank and those that the wire does not connect
	by     map[int32]*peer // by association
	last   *peer           // of the last message received, which the next is likeliest of, too
	in     []byte
	head   [protocol.HeaderSize]byte
	failed []*peer // given up; the next Poll reports them
}

// peer is another rank.
type peer struct {
	rank        int
	association int32  // 0: none yet
	part        []byte // of a message that comes in parts
	gone        bool
}

var (
	_ protocol.Wire    = (*wire)(nil)
	_ protocol.Severer = (*wire)(nil)
	_ protocol.Sleeper = (*wire)(nil)
)

func newWire(rank, size int, set settings, pairs protocol.Pairs) *wire {
	w := &wire{rank: rank, set: set, peers: make([]*peer, size), by: map[int32]*peer{}, in: make([]byte, protocol.HeaderSize+packetSize)}
	for other := range w.peers {
		if pairs.Connect(rank, other) {
			w.peers[other] = &peer{rank: other}
		}
	}
	return w
}

// bound sets the limits by the buffers in force: the kernel refuses a message that is longer than
// the send buffer.
func (w *wire) bound() error {
	send, err := unix.GetsockoptInt(w.socket.fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
	receive, e := unix.GetsockoptInt(w.socket.fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	limit := max(256, min(packetSize, send/4-protocol.HeaderSize))
	w.limits = protocol.Limits{Packet: limit, Fragment: limit, EagerLimit: limit,
		MemoryPerPair: 2 * int64(send+receive) / int64(max(1, len(w.peers)-1))}
	return errors.Join(err, e)
}

// Limits implements protocol.Wire.
func (w *wire) Limits() protocol.Limits { return w.limits }

// Push implements protocol.Wire. The reading side detects the end of a peer, so that what it sent
// before is delivered first; until then packets to it are dropped here.
func (w *wire) Push(to int, h protocol.Header, data []byte) bool {
	p := w.peers[to]
	if p.gone {
		return true
	}
	h.Encode(w.head[:])
	taken, _ := w.socket.write(p.association, w.head[:], data, 0)
	return taken
}

// Poll implements protocol.Wire.
func (w *wire) Poll(from int, sink protocol.Sink) bool {
	for i := range receives {
		if !w.receive(sink) {
			w.settle(sink)
			return i > 0
		}
	}
	w.settle(sink)
	return true
}

// receive takes one message of any peer, or the end of one. It reports false where there is none.
func (w *wire) receive(sink protocol.Sink) bool {
	n, association, notification, more, err := w.socket.read(w.in)
	switch err {
	case 0:
	case syscall.EAGAIN, syscall.EINTR:
		return false
	default: // an error of an association, which its notification explains
		return false
	}
	if notification {
		if association, cause, ok := ended(w.in[:n]); ok {
			if p := w.by[association]; p != nil {
				w.fail(p, cause, sink)
			}
		}
		return true
	}
	p := w.last
	if p == nil || p.association != association {
		if p = w.by[association]; p == nil {
			return true // from a sender without a greeting
		}
		w.last = p
	}
	if p.gone {
		return true
	}
	b := w.in[:n]
	if more || len(p.part) > 0 {
		if len(p.part)+n > len(w.in) {
			w.fail(p, "it sent a packet that is too long", sink)
			return true
		}
		if p.part = append(p.part, b...); more {
			return true
		}
		b, p.part = p.part, p.part[:0]
	}
	if len(b) < protocol.HeaderSize {
		w.fail(p, "it sent a packet without a header", sink)
		return true
	}
	sink.Packet(p.rank, protocol.DecodeHeader(b), b[protocol.HeaderSize:])
	return true
}

// Idle implements protocol.Wire: the kernel reports the ends of peers.
func (w *wire) Idle(sink protocol.Sink) { w.Poll(-1, sink) }

// Sleep implements protocol.Sleeper.
func (w *wire) Sleep() protocol.Sleep { return protocol.Sleep{Arm: w.arm, Disarm: func() {}} }

// arm is protocol.Sleep.Arm.
func (w *wire) arm(fds []unix.PollFd) ([]unix.PollFd, time.Duration) {
	return append(fds, unix.PollFd{Fd: int32(w.socket.fd), Events: unix.POLLIN}), -1
}

// await waits until something has come, for d at most.
func (w *wire) await(d time.Duration) {
	fds, _ := w.arm(nil)
	timeout := unix.NsecToTimespec(int64(d))
	unix.Ppoll(fds, &timeout, nil) // a signal may end it early
}
