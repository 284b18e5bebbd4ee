//go:build cgo && !amd64 && (verbs || mpi || ucx || ofi || gni || mxm || pmix)

package native

// #include <stdint.h>
// typedef int (*function)(uintptr_t, uintptr_t);
// static int call(void *fn, uintptr_t a, uintptr_t b) { return ((function)fn)(a, b); }
import "C"

import "unsafe"

// A Caller calls short functions of the data path, by cgo.
type Caller struct{}

// NewCaller returns a Caller, which one goroutine uses at a time.
func NewCaller() (Caller, error) { return Caller{}, nil }

// Call calls int fn(a, b) of C under the rules of package stackcall.
func (Caller) Call(fn unsafe.Pointer, a, b uintptr) int {
	return int(C.call(fn, C.uintptr_t(a), C.uintptr_t(b)))
}

// Close frees nothing.
func (Caller) Close() {}
