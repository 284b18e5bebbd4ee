package stackcall

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Stack is memory that C functions run on. The page below it cannot be touched: a function that
// needs more than Room bytes ends the process by a segmentation fault, and writes to nobody's
// memory. One function runs on it at a time.
type Stack struct {
	pages []byte
	top   uintptr
}

// New allocates a Stack, which the kernel fills with memory as far as it is used.
func New() (*Stack, error) {
	page := unix.Getpagesize()
	pages, err := unix.Mmap(-1, 0, page+Room, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err == nil {
		err = unix.Mprotect(pages[:page], unix.PROT_NONE)
	}
	if err != nil {
		return nil, fmt.Errorf("allocating a stack of %d bytes: %w", Room, err)
	}
	return &Stack{pages, uintptr(unsafe.Pointer(&pages[0])) + uintptr(len(pages))}, nil
}

// Call calls int fn(a, b) of C. What a and b point to must be alive and no part of a goroutine's
// stack.
func (s *Stack) Call(fn, a, b uintptr) int32 { return call(s.top, fn, a, b) }

// Close frees the stack.
func (s *Stack) Close() { unix.Munmap(s.pages) }

func call(stack, fn, a, b uintptr) int32
