package comm

import (
	"reflect"
	"unsafe"

	"gobench/comm/op"
)

// Type is what messages are made of: all numbers, and the pairs of MaxLoc and MinLoc.
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

// name is what package op calls the type, in its predefined operators and in
// those of users.
func name[T Type]() (predefined, own string) {
	var v T
	switch any(v).(type) {
	case op.Float64Loc:
		predefined = "Float64Loc"
	case op.Float32Loc:
		predefined = "Float32Loc"
	case op.Int64Loc:
		predefined = "Int64Loc"
	case op.Int32Loc:
		predefined = "Int32Loc"
	default:
		predefined = reflect.TypeFor[T]().Kind().String()
	}
	return predefined, reflect.TypeFor[T]().String()
}
