// Package stackcall calls a C function from the calling goroutine as a plain call, on a separate
// stack. cgo would notify the scheduler as for a system call, which costs a large part of the time
// of a message over a fast network: 62 ns instead of 9, on one core of a virtual AMD EPYC (go test
// -bench .).
//
// In return, the processor (P) is not released. The caller must ensure that the function
//   - returns soon: a garbage collection waits for it;
//   - needs less than Room bytes of stack, keeps no pointer into Go's memory, and never calls Go.
//
// It relies on a property of Go's assembly: a goroutine in it is neither moved nor preempted. Only
// amd64 has it.
package stackcall

// Room is the size of a Stack in bytes. Posting and polling with soft-RoCE and soft-iWARP used 3.4
// KiB at most, the linking of the first call included.
const Room = 256 << 10
