//go:build amd64 && !race

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// stringCopiers returns the routines that use special instructions: the string copy of the
// processor, and stores that bypass the caches.
func stringCopiers() []Copier {
	var list []Copier
	if cpu.X86.HasERMS {
		list = append(list, Copier{Name: "rep", Copy: func(dst, src []byte) {
			dst = dst[:len(src)]
			copyRep(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src))
		}})
	}
	if cpu.X86.HasAVX {
		list = append(list, Copier{Name: "stream", Copy: copyAround, Around: true})
	}
	return list
}

// copyAround copies with stores that bypass the caches, where these are aligned.
func copyAround(dst, src []byte) {
	dst = dst[:len(src)]
	head := min(len(src), -int(uintptr(unsafe.Pointer(unsafe.SliceData(dst))))&(streamBlock-1))
	copy(dst, src[:head])
	dst, src = dst[head:], src[head:]
	body := len(src) &^ (streamBlock - 1)
	if body > 0 {
		copyStream(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), body)
	}
	copy(dst[body:], src[body:])
}

// streamBlock is the number of bytes that copyStream copies at a time, and the alignment of its
// target.
const streamBlock = 128

// copyRep copies n bytes with REP MOVSB.
//
//go:noescape
func copyRep(dst, src unsafe.Pointer, n int)

// copyStream copies n bytes with VMOVNTDQ. n is a positive multiple of streamBlock, and dst aligned
// to it. Other processors see the data before anything that is stored later.
//
//go:noescape
func copyStream(dst, src unsafe.Pointer, n int)
