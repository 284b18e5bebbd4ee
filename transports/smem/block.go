package smem

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

var _ protocol.Blocker = (*wire)(nil)

// Values of the bell, a word in the header of a rank's segment: whether the rank sleeps, or is about to,
// and what wakes it. Who pushes a packet to it and takes a value other than 0 away wakes it. Bells cost the
// sender about 20 ns for a packet, so ranks have them only where one of them may sleep.
const (
	bellFutex = 1 // it waits on the word itself
	bellPipe  = 2 // it waits for its pipe, and for the descriptors of other wires
)

// shortDoze is the longest sleep of Block where no packet ends the wait.
const shortDoze = time.Millisecond

// Block implements protocol.Blocker by a futex. Where this rank waits for room in a ring, or has
// transfers to go on with, it sleeps for a short time.
func (w *wire) Block(d time.Duration) {
	if !w.bells || w.lacking || len(w.severed) > 0 || w.jobs.pending() {
		w.lacking = false
		t := unix.NsecToTimespec(int64(min(d, shortDoze)))
		unix.Nanosleep(&t, nil) // a signal may end it early
		return
	}
	own := w.asleep(bellFutex)
	defer atomic.StoreUint32(own, 0)
	if w.waiting() {
		return
	}
	t := unix.NsecToTimespec(int64(d))
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(own)), futexWait, bellFutex, uintptr(unsafe.Pointer(&t)), 0, 0)
}

// asleep sets the bell of this rank, and returns it.
func (w *wire) asleep(bell uint32) *uint32 {
	own := w.own.bell()
	atomic.StoreUint32(own, bell)
	return own
}

// waiting reports whether there is a packet for Poll. One that came before the bell was set rings no more.
func (w *wire) waiting() bool {
	for i, rank := range w.others {
		in := &w.peers[rank].in
		if word, ok := in.look(); ok || !in.sane(word) {
			w.turn = i // the next Poll looks there first
			return true
		}
	}
	return false
}

// Operations of futex(2). The word is shared by processes, so the variants for one process do not fit.
const (
	futexWait = 0
	futexWake = 1
)

// notify wakes a peer that sleeps, if a packet was pushed to it.
func (w *wire) notify(p *peer, pushed bool) {
	if !pushed {
		w.lacking = true
		return
	}
	// A full barrier on amd64: otherwise the packet could become visible after the bell was read. Where
	// it is none, a wake that is missed is made up for at the end of the sleep.
	atomic.AddUint32(&w.fence, 0)
	there := p.segment.bell()
	bell := atomic.LoadUint32(there)
	if bell == 0 || !atomic.CompareAndSwapUint32(there, bell, 0) {
		return
	}
	if bell == bellPipe {
		p.ring()
	} else {
		unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(there)), futexWake, 1)
	}
}
