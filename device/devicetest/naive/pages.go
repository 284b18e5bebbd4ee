package naive

import (
	"os"
	"unsafe"
)

// alignedPages returns n zeroed bytes that start at a page.
func alignedPages(n int) []byte {
	page := os.Getpagesize()
	b := make([]byte, n+page)
	skip := (page - int(uintptr(unsafe.Pointer(&b[0]))%uintptr(page))) % page
	return b[skip : skip+n : skip+n]
}
