package smem

import (
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// A pipe is read by its rank alone and written by its peers. Each peer that claims the bell writes
// one byte, before or after the rank has withdrawn the bell: due counts the claims whose byte has
// not been read, so the rank knows when to read, and a byte that comes late ends one sleep
// early, but is then read. The pipe never fills, because a peer writes only after it has claimed.
//
// A pipe wakes a rank that also waits for other wires, whose events make file descriptors ready,
// which a futex cannot. A rank has a pipe if it may sleep and the job has another wire.
type pipe struct {
	out int // the rank reads it, -1 if it has no pipe
	in  int // peers open and write it
	due int // unread bytes of peers that have reset the bell
}

var noPipe = pipe{out: -1, in: -1}

// open makes the pipe. Peers open its end in by the descriptor of this process (openBell).
func (b *pipe) open() error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return fmt.Errorf("a pipe that wakes this rank: %w", err)
	}
	*b = pipe{out: ends[0], in: ends[1]}
	return nil
}

// close closes both ends; a pipe that was not opened stays so.
func (b *pipe) close() {
	if b.out >= 0 {
		unix.Close(b.out)
		unix.Close(b.in)
	}
	*b = noPipe
}

// openBell opens the pipe of a peer.
func (p *peer) openBell() (err error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", p.endpoint.PID, *p.endpoint.Bell)
	if p.bell, err = unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

// closeBell closes what openBell has opened.
func (p *peer) closeBell() {
	if p.bell >= 0 {
		unix.Close(p.bell)
		p.bell = -1
	}
}

// ring writes to the pipe of a peer. The pipe is non-blocking.
func (p *peer) ring() {
	var one [1]byte
	unix.RawSyscall(unix.SYS_WRITE, uintptr(p.bell), uintptr(unsafe.Pointer(&one)), 1)
}

// Sleep implements protocol.Sleeper.
func (w *wire) Sleep() protocol.Sleep {
	s := protocol.Sleep{Block: w.block}
	if w.pipe.out >= 0 {
		s.Arm, s.Disarm = w.arm, w.disarm
	}
	return s
}

// arm is protocol.Sleep.Arm.
func (w *wire) arm(fds []unix.PollFd) ([]unix.PollFd, time.Duration) {
	w.own.bell().Announce(bellPipe)
	if len(w.severed) > 0 || w.jobs.pending() || w.waiting() {
		return fds, 0
	}
	longest := time.Duration(-1)
	if w.lacking {
		w.lacking, longest = false, shortDoze
	}
	return append(fds, unix.PollFd{Fd: int32(w.pipe.out), Events: unix.POLLIN}), longest
}

// disarm is protocol.Sleep.Disarm. The byte of a peer that has reset the bell may arrive late; it
// then ends the next sleep, which reads it.
func (w *wire) disarm() {
	if w.own.bell().Withdraw() {
		w.pipe.due++
	}
	if w.pipe.due > 0 {
		var bytes [8]byte
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(w.pipe.out), uintptr(unsafe.Pointer(&bytes)), uintptr(len(bytes)))
		if errno == 0 {
			w.pipe.due = max(0, w.pipe.due-int(n))
		}
	}
}
