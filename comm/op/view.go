package op

import "unsafe"

// size returns the bytes of an element.
func size[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// view returns the memory of b as elements. They need no alignment: the processors that gobench
// supports load and store at any address.
func view[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size[T]())
}

// lift converts a function on elements to one on bytes.
func lift[T any](f func(dst, a, b []T)) func(dst, left, right []byte) {
	return func(dst, left, right []byte) { f(view[T](dst), view[T](left), view[T](right)) }
}
