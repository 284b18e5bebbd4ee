package comm

import (
	"reflect"
	"unsafe"

	"gobench/comm/op"
)

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
