//go:build verbs && cgo

package ibv

import (
	"unsafe"

	"gobench/transports/verbs/ibv/stackcall"
)

// call calls a short function of the data path.
func call(fn unsafe.Pointer, a, b uintptr) int { return int(stackcall.Call(uintptr(fn), a, b)) }
