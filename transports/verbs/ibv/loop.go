//go:build verbs && cgo

package ibv

// #cgo noescape gb_loop
// #cgo nocallback gb_loop
// #include "loop.h"
import "C"

import (
	"syscall"
	"unsafe"

	"gobench/device"
)

// Loop is a ping-pong in C under way. Its layout is that of struct loop.
type Loop struct {
	Header          [3]uint64 // of the next packet sent
	Credit          uint64    // added to Header[1] for each packet received
	Heard           uint64    // Header[1] of the last packet received
	Queue, Length   uint32
	Sends, Receives uint32 // still to be done
	Sending         uint32 // 1: this side is to send next
	_               uint32
	stamps          stamps
}

var _ = [1]struct{}{}[unsafe.Sizeof(Loop{})-unsafe.Sizeof(C.struct_loop{})]

// Loop goes on with l. out and in have l.Length bytes, one at least. Events that it returns are to be seen to
// first; an exchange that is not done goes on with the next call.
func (r *Rail) Loop(l *Loop, out, in []byte, at *device.Stamps, turns int) ([]Event, error) {
	l.stamps.take(at)
	n := C.gb_loop(r.r, (*C.struct_loop)(unsafe.Pointer(l)), unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]), times(at), C.uint32_t(turns))
	l.stamps.give(at)
	r.turn.take()
	if n < 0 {
		return nil, &CallError{"ibv_post_send", syscall.Errno(-n)}
	}
	return r.events[:n], nil
}
