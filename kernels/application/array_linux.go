package application

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise requests huge pages for the parts of a that cover whole ones. Where the request fails,
// pages stay small.
func advise[T Element](a []T) {
	if len(a) == 0 {
		return
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	size := uintptr(len(a)) * unsafe.Sizeof(a[0])
	skip := -first & (hugePage - 1)
	if size < skip+hugePage {
		return
	}
	whole := (size - skip) &^ (hugePage - 1)
	bytes := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(a)), skip)), whole)
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE) // advice: no error matters
}
