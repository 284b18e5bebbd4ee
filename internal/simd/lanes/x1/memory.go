package lanes

import "unsafe"

// start returns the address of the first element, nil for none.
func start[T any](b []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// block returns the block of memory i bytes after p, at any address: the processors that gobench
// supports load and store without alignment. There are no bounds checks, which makes the loops
// fast; they must stay within their slices.
func block[Block any](p unsafe.Pointer, i int) *Block { return (*Block)(unsafe.Add(p, i)) }

// size returns the bytes of an element.
func size[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}
