package op

import "unsafe"

// size returns the bytes of an element.
func size[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// view is the elements that lie in b. No processor that gobench runs on asks for
// alignment of what is loaded and stored plainly.
func view[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size[T]())
}

// lift makes a function on bytes of one on elements.
func lift[T any](f func(dst, a, b []T)) func(dst, left, right []byte) {
	return func(dst, left, right []byte) { f(view[T](dst), view[T](left), view[T](right)) }
}
