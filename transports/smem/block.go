package smem

import (
	"fmt"
	"math/bits"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// Values of the bell, a word in the header of a rank's segment: whether the rank sleeps, or is
// about to, and what wakes it. A peer that pushes a packet and swaps a nonzero value for 0 wakes
// the rank. A bell costs the sender about 20 ns per packet, so ranks have them only if one of them
// may sleep.
//
// Each side stores for the other and then loads what the other stores, so all of these accesses are
// sequentially consistent, and bellModel checks the wire without each of them
// (docs/notes/weak-memory.md):
//
//	peer     stores the packet's word, loads its mark and sets it if it is not set, loads the bell
//	owner    stores the bell, loads the marks, sleeps if there is none
//	owner    swaps the marks for 0, loads the words of the rings
//	peer     of the last goodbye: adds it to the count, loads the bell
//
//	invariant    a packet whose push has returned is marked, or the owner has read its ring since;
//	             a rank that sleeps with a packet marked, or all goodbyes said, has a peer that will
//	             wake it; the pipe holds no more bytes than peers have reset bells, which due counts.
const (
	bellFutex = 1 // it waits on the word itself
	bellPipe  = 2 // it waits for its pipe, and for the descriptors of other wires
)

// shortDoze is the longest sleep of block if no packet ends it.
const shortDoze = time.Millisecond

// block is protocol.Sleep.Block, by a futex. If this rank waits for room in a ring or has
// unfinished transfers, it sleeps only briefly.
func (w *wire) block(d time.Duration) {
	if !w.bells || w.lacking || len(w.severed) > 0 || w.jobs.pending() {
		w.lacking = false
		t := unix.NsecToTimespec(int64(min(d, shortDoze)))
		unix.Nanosleep(&t, nil) // a signal may end it early
		return
	}
	own := w.own.bell()
	own.Announce(bellFutex)
	defer own.Withdraw()
	if w.waiting() {
		return
	}
	own.Wait(bellFutex, d, &w.timeout)
}

// A mark may be set although the packet was taken already, by a Poll of its peer alone: then one
// sleep is skipped and the next Poll clears the mark. The other mistake, a packet without a mark,
// cannot happen, because notify follows each push.
//
// waiting reports whether there is a packet for Poll, or the last goodbye for Idle. Packets that
// arrived before the bell was set do not ring it.
func (w *wire) waiting() bool {
	marks := w.own.marks()
	for i := range marks {
		if atomic.LoadUint64(&marks[i]) != 0 {
			return true
		}
	}
	return w.allSaidGoodbye()
}

// marked delivers packets of the peers that have marked them, except one, and reports whether there
// was one. Without marks, each of hundreds of ranks would poll the rings of all others, and touch
// as many pages.
func (w *wire) marked(except int, sink protocol.Sink) (did bool) {
	marks := w.own.marks()
	for i := range marks {
		if atomic.LoadUint64(&marks[i]) == 0 {
			continue
		}
		// The mark is cleared before the ring is read: a later push sets it again.
		for set := atomic.SwapUint64(&marks[i], 0); set != 0; set &= set - 1 {
			index := i*64 + bits.TrailingZeros64(set)
			if index >= len(w.group) {
				continue // a peer has written garbage
			}
			rank := w.group[index]
			if rank == except {
				w.own.mark(index)
				continue
			}
			if w.drain(rank, sink) {
				did = true
				if _, _, more := w.peers[rank].look(); more {
					w.own.mark(index)
				}
			}
		}
	}
	return did
}

// A push without room leaves no mark anywhere: the consumer does not wake who waits for room. So
// such a rank sleeps for shortDoze only (lacking).
//
// notify marks a packet that was pushed to a peer, and wakes it if it sleeps.
func (w *wire) notify(p *peer, pushed bool) {
	if !pushed {
		w.lacking = true
		return
	}
	// On amd64 this is a full barrier, because release.Store of the packet's word is a plain store:
	// without it the packet could become visible after mark and bell were read. On other processors
	// that store is an atomic one, which is ordered before them itself.
	atomic.AddUint32(&w.fence, 0)
	p.segment.mark(w.peers[w.rank].index)
	p.wake()
}

// wake wakes a peer if it sleeps.
func (p *peer) wake() {
	there := p.segment.bell()
	switch there.Claim() {
	case bellFutex:
		there.Wake()
	case bellPipe:
		p.ring()
	}
}

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
