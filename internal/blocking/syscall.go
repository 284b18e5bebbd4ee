// Package blocking makes system calls that wait for long.
package blocking

import (
	"syscall"
	"time"
	_ "unsafe" // for go:linkname
)

// Long is the least time of a wait for which Syscall6 pays.
const Long = time.Millisecond

// Syscall6 is syscall.Syscall6 for a call that waits for Long or more. It gives the scheduler's
// processor up before the call, as the runtime does where it waits itself. After syscall.Syscall6
// the monitor of the runtime looks some 50 times in 10 ms until it takes the processor away, and
// after syscall.RawSyscall6 every 10 ms: with hundreds of waiting ranks a fifth of all time. The
// caller keeps alive what the numbers point to, on the heap.
//
//go:nosplit
func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, errno syscall.Errno) {
	entersyscallblock()
	r1, r2, errno = syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
	exitsyscall()
	return r1, r2, errno
}

// The runtime keeps both as they are for such uses: see its proc.go, and
// https://go.dev/issue/67401.

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()
