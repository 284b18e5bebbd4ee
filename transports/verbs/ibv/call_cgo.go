//go:build verbs && cgo && !amd64

package ibv

// #include <stdint.h>
// typedef int (*function)(uintptr_t, uintptr_t);
// static int call(void *fn, uintptr_t a, uintptr_t b) { return ((function)fn)(a, b); }
import "C"

import "unsafe"

// caller calls short functions of the data path, by cgo.
type caller struct{}

func newCaller() (caller, error) { return caller{}, nil }

func (caller) call(fn unsafe.Pointer, a, b uintptr) int {
	return int(C.call(fn, C.uintptr_t(a), C.uintptr_t(b)))
}
func (caller) close() {}
