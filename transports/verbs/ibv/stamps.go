//go:build verbs && cgo

package ibv

// #include "stamps.h"
import "C"

import (
	"unsafe"

	"gobench/device"
)

// stamps is the part of device.Stamps that C keeps. Its layout is that of struct stamps.
type stamps struct{ every, left, made, room uint32 }

var _ = [1]struct{}{}[unsafe.Sizeof(stamps{})-unsafe.Sizeof(C.struct_stamps{})]

// take brings s to where the rounds of d are, which may be nil.
func (s *stamps) take(d *device.Stamps) {
	*s = stamps{}
	if d != nil {
		*s = stamps{uint32(d.Every), uint32(d.Left), uint32(d.Made), uint32(len(d.At))}
	}
}

// give brings d to where the rounds of s are.
func (s *stamps) give(d *device.Stamps) {
	if d != nil {
		d.Left, d.Made = int(s.left), int(s.made)
	}
}

// times is the memory that the times go to, nil for none.
func times(d *device.Stamps) *C.int64_t {
	if d == nil || len(d.At) == 0 {
		return nil
	}
	return (*C.int64_t)(unsafe.Pointer(&d.At[0]))
}
