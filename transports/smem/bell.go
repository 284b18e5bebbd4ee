package smem

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// A bell wakes a rank that sleeps until a packet comes. The rank marks its segment as asleep and then
// looks into its rings; a peer pushes its packet and then looks for the mark. Both have a full barrier in
// between, so that one of them sees the other. The first peer that takes the mark away writes a byte to the pipe
// whose end the rank waits for.
//
// Ranks have bells only where they outnumber the processors: the barrier takes a part of the time of a
// short message, and a rank that spins needs none.
type bell struct {
	out    int     // the end of the pipe that the rank reads, -1 if it has no bell
	in     int     // the other end, until all peers have opened it
	asleep *uint64 // in the own segment: 1 while peers are to ring
	fence  uint64
	drain  [64]byte
}

var _ protocol.Waker = (*wire)(nil)

// hang makes the pipe.
func (b *bell) hang(own segment) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return fmt.Errorf("a pipe that wakes this rank: %w", err)
	}
	b.out, b.in, b.asleep = ends[0], ends[1], own.word(wordAsleep)
	return nil
}

func (b *bell) close() {
	for _, fd := range []*int{&b.out, &b.in} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

// rope is the end of the pipe by which this rank wakes a peer.
type rope struct {
	fd     int // -1: the peer has no bell
	asleep *uint64
}

// tie opens the pipe of a peer.
func (p *peer) tie() error {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", p.endpoint.PID, p.endpoint.Bell), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: "the pipe that wakes it", Err: err}
	}
	p.rope = rope{fd, p.segment.word(wordAsleep)}
	return nil
}

// ring wakes a peer that sleeps, after a packet to it.
func (w *wire) ring(p *peer) {
	atomic.AddUint64(&w.bell.fence, 1)
	if p.rope.fd >= 0 && atomic.LoadUint64(p.rope.asleep) != 0 && atomic.CompareAndSwapUint64(p.rope.asleep, 1, 0) {
		var one [1]byte
		rawWrite(p.rope.fd, one[:])
	}
}

// Wakes implements protocol.Waker.
func (w *wire) Wakes() bool { return w.bell.out >= 0 }

// Arm implements protocol.Waker.
func (w *wire) Arm(fds []unix.PollFd) ([]unix.PollFd, time.Duration) {
	if len(w.severed) > 0 || w.jobs.pending() {
		return fds, 0
	}
	atomic.StoreUint64(w.bell.asleep, 1) // with a barrier
	for _, rank := range w.others {
		in := &w.peers[rank].in
		if word, ok := in.look(); ok || !in.sane(word) {
			return fds, 0
		}
	}
	return append(fds, unix.PollFd{Fd: int32(w.bell.out), Events: unix.POLLIN}), -1
}

// Disarm implements protocol.Waker.
func (w *wire) Disarm() {
	if !atomic.CompareAndSwapUint64(w.bell.asleep, 1, 0) {
		rawRead(w.bell.out, w.bell.drain[:]) // what came with the ring; one that is late wakes this rank once for nothing
	}
}

// rawWrite and rawRead do not block, because the pipe does not.
func rawWrite(fd int, b []byte) {
	unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
}

func rawRead(fd int, b []byte) {
	unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
}
