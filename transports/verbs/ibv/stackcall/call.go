// Package stackcall calls a C function on the stack of the calling goroutine. cgo would change to another stack and tell the
// scheduler that a system call begins and that it ends, which costs a good part of what a message of a fast
// network takes: 62 ns where this takes 9, on one core of a virtual AMD EPYC (go test -bench .).
//
// The price: the processor (P) is not given up. Whoever calls makes sure that the function
//   - comes back soon: a collection of garbage waits for it;
//   - needs less than Room bytes of stack, keeps no pointer into Go's memory, and never calls Go.
//
// It rests on what Go promises to assembly: the prologue makes room for the frame, and a goroutine in assembly is neither
// moved nor preempted. Only amd64 has it.
package stackcall

// Room is how much stack the function may use, in bytes. Posting and polling with soft-RoCE and soft-iWARP used 3.4 KiB at
// most, the linking of the first call included.
const Room = 32 << 10
