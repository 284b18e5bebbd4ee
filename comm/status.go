package comm

import (
	"reflect"
	"unsafe"

	"gobench/comm/op"
	"gobench/device"
)

// Wildcards and special ranks.
const (
	AnySource = device.AnySource
	AnyTag    = int(device.AnyTag)
	// ProcNull is the null process of MPI: a send to it does nothing, and a
	// receive from it gets no bytes. Ranks at the border of a grid use it as neighbour.
	ProcNull = -2
	// Undefined is the rank of a process that is not in a group, and the color for Split of a rank
	// that gets no communicator.
	Undefined = -3
	// MaxTag is the largest tag. A device may have a lower limit (device.Info.Tags); a larger tag
	// is then a *device.ArgumentError.
	MaxTag = 1<<31 - 1
)

// A Status describes the message of a completed receive or a successful probe. After a
// send only Cancelled is meaningful.
type Status struct {
	Source    int // rank of the sender in the communicator, or ProcNull
	Tag       int
	Bytes     int  // of the message as sent, even where fewer were stored
	Cancelled bool // the operation was cancelled and nothing was transferred
}

// Count returns the number of elements in a message, or Undefined if it does not hold a whole
// number of them.
func Count[T Type](s Status) int {
	if s.Bytes%size[T]() != 0 {
		return Undefined
	}
	return s.Bytes / size[T]()
}

// nothing returns the status of a null request and of an inactive persistent one, the empty status
// of MPI.
func nothing() Status { return Status{Source: AnySource, Tag: AnyTag} }

// nobody returns the status of a receive from ProcNull.
func nobody() Status { return Status{Source: ProcNull, Tag: AnyTag} }

// status converts a status of the device.
func (c *Comm) status(s device.Status) Status {
	if c.local != nil && uint(s.Source) < uint(len(c.local)) {
		s.Source = c.local[s.Source]
	}
	return Status{s.Source, int(s.Tag), s.Size, s.Cancelled}
}

// Type lists the element types of messages: all numbers, and the pairs of MaxLoc and MinLoc.
type Type interface{ op.Number | op.Located }

// size returns the bytes of an element.
func size[T Type]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// raw returns the memory of a slice.
func raw[T Type](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size[T]())
}

// predefined returns the name of the type in the predefined operators of package op.
func predefined[T Type]() string {
	var v T
	switch any(v).(type) {
	case op.Float64Loc:
		return "Float64Loc"
	case op.Float32Loc:
		return "Float32Loc"
	case op.Int64Loc:
		return "Int64Loc"
	case op.Int32Loc:
		return "Int32Loc"
	}
	return reflect.TypeFor[T]().Kind().String()
}

// own returns the name of the type in operators that users define with package op.
func own[T Type]() string { return reflect.TypeFor[T]().String() }
