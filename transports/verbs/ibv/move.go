//go:build verbs && cgo

package ibv

// #cgo noescape gb_move
// #cgo nocallback gb_move
// #include "move.h"
import "C"

import (
	"syscall"
	"unsafe"

	"gobench/device"
)

// Move is a measurement of puts or gets under way. Its layout is that of struct move.
type Move struct {
	Kind, Rounds, Each   uint32 // rounds still to be done, and requests of each
	Queue, Stride, Lanes uint32 // the queues that take turns: Queue, Queue + Stride, ...
	Length, LKey, RKey   uint32
	Posted, Ended, Due   uint32 // requests of this round; ends that have come, and that will have in all
	Number               uint32 // of a pong: the last byte of this round
	Sending, First       uint32
	_                    uint32
	Out, In, Remote      uint64
	stamps               stamps
}

// The kinds of a Move.
const (
	MovePut  = C.MOVE_PUT
	MoveGet  = C.MOVE_GET
	MovePong = C.MOVE_PONG
)

// MoveToken is the token of its requests.
const MoveToken uint64 = C.MOVE_TOKEN

var _ = [1]struct{}{}[unsafe.Sizeof(Move{})-unsafe.Sizeof(C.struct_move{})]

// Done reports whether all of it is done.
func (m *Move) Done() bool { return m.Rounds == 0 && m.Ended == m.Due }

// Move goes on with m in C. Events that it returns are to be seen to first; ends of the move among them are not counted yet.
func (r *Rail) Move(m *Move, at *device.Stamps, turns int) ([]Event, error) {
	m.stamps.take(at)
	n := C.gb_move(r.r, (*C.struct_move)(unsafe.Pointer(m)), times(at), C.uint32_t(turns))
	m.stamps.give(at)
	r.turn.take()
	if n < 0 {
		return nil, &CallError{"ibv_post_send", syscall.Errno(-n)}
	}
	return r.events[:n], nil
}
