//go:build cgo && (verbs || ucx || ofi || mxm)

// Package stamps has the C and the Go side of device.Stamps, for loops of benchmarks in C.
package stamps

// #include "stamps.h"
import "C"

import (
	"unsafe"

	"gobench/device"
)

// Stamps is the part of device.Stamps that C keeps. Its layout is that of struct stamps.
type Stamps struct{ every, left, made, room uint32 }

var _ = [1]struct{}{}[unsafe.Sizeof(Stamps{})-unsafe.Sizeof(C.struct_stamps{})]

// Take brings s to where the rounds of d are, which may be nil.
func (s *Stamps) Take(d *device.Stamps) {
	*s = Stamps{}
	if d != nil {
		*s = Stamps{uint32(d.Every), uint32(d.Left), uint32(d.Made), uint32(len(d.At))}
	}
}

// Give brings d to where the rounds of s are.
func (s *Stamps) Give(d *device.Stamps) {
	if d != nil {
		d.Left, d.Made = int(s.left), int(s.made)
	}
}

// Times returns the memory that the times go to, nil for none.
func Times(d *device.Stamps) unsafe.Pointer {
	if d == nil || len(d.At) == 0 {
		return nil
	}
	return unsafe.Pointer(&d.At[0])
}
