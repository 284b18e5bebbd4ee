package op

// Integer is a signed or unsigned integer.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Float is a floating-point number.
type Float interface{ ~float32 | ~float64 }

// Ordered is a number that can be compared with others.
type Ordered interface{ Integer | Float }

// Number is a type that can be added and multiplied.
type Number interface {
	Ordered | ~complex64 | ~complex128
}
