// Package blocking waits in the kernel: for a long time, on a word in shared memory, or for the
// other processes of this processor.
package blocking

import (
	"syscall"
	"time"
	_ "unsafe" // for go:linkname
)

// Long is the least time of a wait for which Syscall6 pays.
const Long = time.Millisecond

// Syscall6 is syscall.Syscall6 for a call that waits for Long or more. It releases the processor of
// the scheduler before the call, as the runtime does for its own waits. After syscall.Syscall6 the
// monitor thread of the runtime polls some 50 times in 10 ms until it takes the processor away, and
// after syscall.RawSyscall6 every 10 ms. With hundreds of waiting ranks that takes a fifth of all
// time. Memory to which the arguments point must be on the heap, and the caller keeps it alive.
//
//go:nosplit
func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, errno syscall.Errno) {
	entersyscallblock()
	r1, r2, errno = syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
	exitsyscall()
	return r1, r2, errno
}

// The runtime keeps the signatures of both for such uses: see its proc.go, and
// https://go.dev/issue/67401.

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()
