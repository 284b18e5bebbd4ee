package blocking

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A Word lies in memory that its owner, who sleeps, shares with those who wake it: other processes
// or goroutines. It is 0 while the owner is awake, else a number that says how the owner sleeps.
// Each side stores for the other and then loads what the other stores:
//
//	owner    Announce, looks whether there is something to do, sleeps if not, Withdraw
//	waker    publishes what there is to do, Claim, wakes the owner as the result says
//
// All accesses are sequentially consistent, so at least one side sees the store of the other: the
// owner does not sleep, or exactly one waker claims the word and wakes it. What the waker publishes
// must be ordered before Claim, too: by an atomic read-modify-write, or a full barrier.
type Word uint32

// Announce sets the word. how is not 0. The swap orders it before later loads for the race
// detector, too, which makes a store without order.
func (w *Word) Announce(how uint32) { atomic.SwapUint32((*uint32)(w), how) }

// Withdraw sets the word to 0, and reports whether a waker had claimed it since Announce.
func (w *Word) Withdraw() (claimed bool) { return atomic.SwapUint32((*uint32)(w), 0) == 0 }

// Asleep reports whether the owner sleeps, or is about to, and no waker has claimed the word.
func (w *Word) Asleep() bool { return atomic.LoadUint32((*uint32)(w)) != 0 }

// Claim resets the word, and returns how its owner is to be woken: 0 if it is awake, or if another
// waker has claimed it.
func (w *Word) Claim() (how uint32) {
	how = atomic.LoadUint32((*uint32)(w))
	if how == 0 || !atomic.CompareAndSwapUint32((*uint32)(w), how, 0) {
		return 0
	}
	return how
}

// Operations of futex(2). The word is shared by processes, so the variants for one process do not
// fit.
const (
	futexWait = 0
	futexWake = 1
)

// Wait sleeps by a futex while the word is how, for at most d. timeout is memory for the system
// call that does not move. A signal may end the wait early.
func (w *Word) Wait(how uint32, d time.Duration, timeout *syscall.Timespec) {
	*timeout = syscall.NsecToTimespec(int64(d))
	wait := syscall.Syscall6
	if d >= Long {
		wait = Syscall6
	}
	wait(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWait, uintptr(how), uintptr(unsafe.Pointer(timeout)), 0, 0)
}

// Wake ends a Wait, after Claim.
func (w *Word) Wake() {
	syscall.RawSyscall(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWake, 1)
}
