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
	"gobench/transports/native/stamps"
)

// A Loop is the state of a benchmark loop. Its layout equals struct loop.
type Loop struct {
	Kind                 uint32
	Left, Each           uint32 // rounds, or halves of a ping-pong, still to be done; requests of a round
	Queue, Stride, Lanes uint32 // the queues used in turn: Queue, Queue + Stride, ...
	Length, LKey, RKey   uint32
	Posted, Ended, Due   uint32 // requests of this round; completions so far, and completions in all
	Number               uint32 // of a ping-pong of puts: the last byte of this round
	Sending              uint32 // of a ping-pong: 1 if this side's half is next
	Out, In, Remote      uint64
	Header               [3]uint64 // of the next packet sent
	Operand              uint64    // of atomics: what is added, or the value that the next swap expects
	Credit               uint64    // added to Header[1] for each packet received
	Heard                uint64    // Header[1] of the last packet received
	stamps               stamps.Stamps
}

// The kinds of a Loop.
const (
	LoopSend    = C.LOOP_SEND
	LoopPutPong = C.LOOP_PUT_PONG
	LoopPut     = C.LOOP_PUT
	LoopGet     = C.LOOP_GET
	LoopAdd     = C.LOOP_FETCH_ADD
	LoopSwap    = C.LOOP_COMPARE_SWAP
)

// LoopToken is the token of a loop's puts and gets.
const LoopToken uint64 = C.LOOP_TOKEN

var _ = [1]struct{}{}[unsafe.Sizeof(Loop{})-unsafe.Sizeof(C.struct_loop{})]

// Done reports whether all rounds are complete.
func (l *Loop) Done() bool { return l.Left == 0 && l.Ended == l.Due }

// Loop continues l in C for at most steps steps, each a request or half of a round, or until turns
// polls have found nothing. The caller must handle the returned events before it continues;
// completions of the loop's requests among them are not counted yet.
func (r *Rail) Loop(l *Loop, at *device.Stamps, turns, steps int) ([]Event, error) {
	l.stamps.Take(at)
	n := C.gb_loop(r.r, (*C.struct_loop)(unsafe.Pointer(l)), (*C.int64_t)(stamps.Times(at)), C.uint32_t(turns), C.uint32_t(steps))
	l.stamps.Give(at)
	r.turn.Take()
	if n < 0 {
		return nil, &CallError{"ibv_post_send", syscall.Errno(-n)}
	}
	return r.events[:n], nil
}
