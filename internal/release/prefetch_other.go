//go:build !amd64 || race

package release

import "unsafe"

// Own and Fetch do nothing: prefetches change nothing but the speed.
func Own(unsafe.Pointer)   {}
func Fetch(unsafe.Pointer) {}
