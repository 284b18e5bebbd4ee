package devicetest

import "unsafe"

// address of the first byte of b.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
