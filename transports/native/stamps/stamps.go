//go:build cgo && (verbs || ucx || ofi || mxm)

// Package stamps implements device.Stamps for benchmark loops in C.
package stamps

// #include "stamps.h"
import "C"

import (
	"unsafe"

	"gobench/device"
)

// Stamps is the part of device.Stamps that C updates. Its layout equals struct stamps.
type Stamps struct{ every, left, made, room uint32 }

var _ = [1]struct{}{}[unsafe.Sizeof(Stamps{})-unsafe.Sizeof(C.struct_stamps{})]

// Take sets s to the state of d, which may be nil.
func (s *Stamps) Take(d *device.Stamps) {
	*s = Stamps{}
	if d != nil {
		*s = Stamps{uint32(d.Every), uint32(d.Left), uint32(d.Made), uint32(len(d.At))}
	}
}

// Give sets d to the state of s.
func (s *Stamps) Give(d *device.Stamps) {
	if d != nil {
		d.Left, d.Made = int(s.left), int(s.made)
	}
}

// Times returns the memory for the times, nil if there is none.
func Times(d *device.Stamps) unsafe.Pointer {
	if d == nil || len(d.At) == 0 {
		return nil
	}
	return unsafe.Pointer(&d.At[0])
}
