//go:build !amd64 || race

package release

import "unsafe"

// Own and Fetch do nothing: hints are not needed for anything but speed.
func Own(unsafe.Pointer)   {}
func Fetch(unsafe.Pointer) {}
