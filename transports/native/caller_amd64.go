package native

import (
	"unsafe"

	"gobench/transports/native/stackcall"
)

// A Caller calls short functions of the data path, on its own stack.
type Caller struct{ stack *stackcall.Stack }

// NewCaller returns a Caller, which one goroutine uses at a time.
func NewCaller() (Caller, error) {
	s, err := stackcall.New()
	return Caller{s}, err
}

// Call calls int fn(a, b) of C under the rules of package stackcall.
func (c Caller) Call(fn unsafe.Pointer, a, b uintptr) int {
	return int(c.stack.Call(uintptr(fn), a, b))
}

// Close frees the stack.
func (c Caller) Close() { c.stack.Close() }
