package kernel

// Integer is an integer type of known size.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Number is an element that can be added and multiplied.
type Number interface {
	Integer | float32 | float64 | complex64 | complex128
}
