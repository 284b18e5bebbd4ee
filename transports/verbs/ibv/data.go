//go:build verbs && cgo

package ibv

// #include "rail.h"
import "C"

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// A Memory is a registered memory region.
type Memory struct {
	mr *C.struct_ibv_mr
}

// Register registers memory, one byte at least, for all access by the queues of this rail. The
// caller must keep it mapped.
func (r *Rail) Register(start, length uintptr) (Memory, error) {
	var m Memory
	if what := C.gb_register(r.r, C.uint64_t(start), C.uint64_t(length), &m.mr); what != nil {
		return m, r.failed(what)
	}
	return m, nil
}

// Deregister ends the registration.
func (m Memory) Deregister() { C.gb_deregister(m.mr) }

// Keys returns the keys for the local and the remote side.
func (m Memory) Keys() (lkey, rkey uint32) { return uint32(m.mr.lkey), uint32(m.mr.rkey) }

// Sent is the result of a call that posts: 0, NoRoom, or a negative errno.
type Sent int

// NoRoom means that the send queue is full or the credits are used up: nothing was posted, and Poll
// may make room.
const NoRoom Sent = 1

// Err returns the error of a negative result.
func (s Sent) Err(call string) error { return &CallError{call, syscall.Errno(-s)} }

// outgoing is a packet passed to C by Send. Its layout equals struct outgoing.
type outgoing struct {
	header        [3]uint64
	data          uintptr
	length, queue uint32
	last, _       uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(outgoing{})-unsafe.Sizeof(C.struct_outgoing{})]

// The functions that a rank calls for every packet.
var (
	sendFunction = unsafe.Pointer(C.gb_send_outgoing)
	pollFunction = unsafe.Pointer(C.gb_poll)
)

// Send sends one packet. From the last packet on, all are signalled, so that Drained reports when
// the peer's adapter has received everything. data must not be on a stack.
func (r *Rail) Send(queue int, h [3]uint64, data []byte, last bool) Sent {
	r.out = outgoing{header: h, data: uintptr(unsafe.Pointer(unsafe.SliceData(data))), length: uint32(len(data)), queue: uint32(queue)}
	if last {
		r.out.last = 1
	}
	s := r.caller.Call(sendFunction, uintptr(unsafe.Pointer(r.r)), uintptr(unsafe.Pointer(&r.out)))
	runtime.KeepAlive(data)
	return Sent(s)
}

// A Piece is a part of a write or read: its local and remote addresses. The completion of the last
// piece of an operation is an event with the token.
type Piece struct {
	Local, Remote uint64
	LKey, RKey    uint32
	Length        int
	Token         uint64
	Last          bool
	Notice        bool   // of a write: with immediate data
	Word          uint32 // the immediate data
}

// Write posts an RDMA write.
func (r *Rail) Write(queue int, p *Piece) Sent {
	return Sent(C.gb_write(r.r, C.uint32_t(queue), C.uint64_t(p.Local), C.uint32_t(p.LKey), C.uint64_t(p.Remote), C.uint32_t(p.RKey),
		C.uint32_t(p.Length), C.uint64_t(p.Token), flag(p.Last), flag(p.Notice), C.uint32_t(p.Word)))
}

// Read posts an RDMA read.
func (r *Rail) Read(queue int, p *Piece) Sent {
	return Sent(C.gb_read(r.r, C.uint32_t(queue), C.uint64_t(p.Local), C.uint32_t(p.LKey), C.uint64_t(p.Remote), C.uint32_t(p.RKey),
		C.uint32_t(p.Length), C.uint64_t(p.Token), flag(p.Last)))
}

// Atomic posts an atomic operation on the 8 bytes at p.Remote and stores their previous value at
// p.Local: it adds operand or, with swap, replaces operand by operand+1.
func (r *Rail) Atomic(queue int, p *Piece, swap bool, operand uint64) Sent {
	return Sent(C.gb_atomic(r.r, C.uint32_t(queue), C.uint64_t(p.Local), C.uint32_t(p.LKey), C.uint64_t(p.Remote), C.uint32_t(p.RKey),
		flag(swap), C.uint64_t(operand), C.uint64_t(p.Token), flag(p.Last)))
}

// Census sends the number of packets sent on the data queue to the peer, on a control queue, if the
// number has grown.
func (r *Rail) Census(control int) Sent { return Sent(C.gb_census(r.r, C.uint32_t(control))) }

// Missing returns the number of packets that the peer of a data queue has sent, by its last census,
// and that have not arrived.
func (r *Rail) Missing(queue int) int {
	q := r.queue(queue)
	return max(0, int(int32(q.claimed-q.received)))
}

// Sleep waits for a completion, for at most d, and returns the events that it found before it
// slept, like Poll.
func (r *Rail) Sleep(d time.Duration) ([]Event, error) {
	n := C.gb_sleep(r.r, C.int((d+time.Millisecond-1)/time.Millisecond))
	if n < 0 {
		return nil, &CallError{"ibv_req_notify_cq", syscall.Errno(-n)}
	}
	return r.events[:n], nil
}

// Alive probes whether the queue pair of the peer still exists, by an empty write to its landing
// address. If not, the queue breaks. On iWARP it is a read: without an answer Asking remains true
// for as long as TCP retransmits.
func (r *Rail) Alive(queue int, address uint64, rkey uint32) Sent {
	return Sent(C.gb_alive(r.r, C.uint32_t(queue), C.uint64_t(address), C.uint32_t(rkey)))
}

// Poll polls at most turns times for events. They are valid until the next Poll.
func (r *Rail) Poll(turns int) ([]Event, error) {
	n := r.caller.Call(pollFunction, uintptr(unsafe.Pointer(r.r)), uintptr(turns))
	r.turn.Take()
	if n < 0 {
		return nil, &CallError{"ibv_poll_cq", syscall.Errno(-n)}
	}
	return r.events[:n], nil
}

// Polled returns the number of completions that Poll has taken so far, not all of which are events.
func (r *Rail) Polled() uint64 { return uint64(r.r.polled) }

// Async returns the next asynchronous event of the device, and the queue that it concerns, -1 if
// none. An event of another port, or of a queue of another owner, is NoEvent. ok is false if there
// is no event now.
func (r *Rail) Async() (e AsyncEvent, queue int, ok bool) {
	var q C.int32_t
	var t C.int
	if C.gb_async(r.r, &q, &t) == 0 {
		return 0, -1, false
	}
	return AsyncEvent(t), int(q), true
}
