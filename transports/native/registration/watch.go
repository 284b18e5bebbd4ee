//go:build cgo && (verbs || ucx || ofi || gni)

package registration

// #cgo noescape gb_watch_changed
// #cgo nocallback gb_watch_changed
// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
// #cgo LDFLAGS: -lpthread
// #include "watch.h"
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"
)

// A Watch reports memory that any code has unmapped or released (munmap, mremap, madvise); Go's
// runtime releases memory by madvise. Only one rank uses it at a time.
type Watch struct {
	w      *C.struct_watch
	ranges [C.RANGES]C.struct_range
}

// OpenWatch returns a Watch. It fails if the kernel has no userfaultfd, or forbids it.
func OpenWatch() (*Watch, error) {
	w := new(Watch)
	var e C.int
	if what := C.gb_watch_open(&w.w, &e); what != nil {
		return nil, fmt.Errorf("%s: %w", C.GoString(what), syscall.Errno(e))
	}
	return w, nil
}

// Close ends the watch.
func (w *Watch) Close() { C.gb_watch_close(w.w) }

// Add watches whole pages. It fails for memory that cannot be watched, such as shared memory on
// older kernels.
func (w *Watch) Add(start, end uintptr) error {
	if e := C.gb_watch_add(w.w, C.uint64_t(start), C.uint64_t(end)); e != 0 {
		return fmt.Errorf("UFFDIO_REGISTER: %w", syscall.Errno(e))
	}
	return nil
}

// Changed reports whether Take would return ranges. It is true before the call that unmaps memory
// returns, but another thread may have mapped the addresses again earlier.
func (w *Watch) Changed() bool { return C.gb_watch_changed(w.w) != 0 }

// Range is a range of addresses.
type Range struct{ Start, End uintptr }

// Take returns the ranges unmapped since the last Take; ok is false if there were too many to
// list. The list is valid until the next Take.
func (w *Watch) Take() (list []Range, ok bool) {
	n := C.gb_watch_take(w.w, &w.ranges[0])
	if n < 0 {
		return nil, false
	}
	return unsafe.Slice((*Range)(unsafe.Pointer(&w.ranges[0])), int(n)), true
}
