// Package stackcall calls a C function from the calling goroutine as a plain call, on a stack of
// its own. cgo would tell the scheduler that a system call begins and that it ends, which costs a
// good part of the time of a message of a fast network: 62 ns instead of 9, on one core of a
// virtual AMD EPYC (go test -bench .).
//
// The price: the processor (P) is not given up. The caller makes sure that the function
//   - returns soon: a garbage collection waits for it;
//   - needs less than Room bytes of stack, keeps no pointer into Go's memory, and never calls Go.
//
// It relies on a property of Go's assembly: a goroutine in it is neither moved nor preempted. Only
// amd64 has it.
package stackcall

// Room is the size of a Stack in bytes. Posting and polling with soft-RoCE and soft-iWARP used 3.4
// KiB at most, the linking of the first call included.
const Room = 256 << 10
