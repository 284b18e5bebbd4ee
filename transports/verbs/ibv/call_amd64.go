//go:build verbs && cgo

package ibv

import (
	"unsafe"

	"gobench/transports/verbs/ibv/stackcall"
)

// caller calls short functions of the data path, on a stack of its own.
type caller struct{ stack *stackcall.Stack }

func newCaller() (caller, error) {
	s, err := stackcall.New()
	return caller{s}, err
}

func (c caller) call(fn unsafe.Pointer, a, b uintptr) int {
	return int(c.stack.Call(uintptr(fn), a, b))
}
func (c caller) close() { c.stack.Close() }
