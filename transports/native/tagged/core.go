//go:build cgo && (ucx || ofi || mxm)

package tagged

// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
// #include "core.h"
// static void *send_function(void) { return tagged_send; }
// static void *receive_function(void) { return tagged_receive; }
// static void *pingpong_function(void) { return tagged_pingpong; }
// static void *access_function(void) { return tagged_access; }
// static void *settle_function(void) { return tagged_settle; }
// static void *watch_function(void) { return tagged_watch; }
// static void *probe_function(void) { return tagged_probe; }
// static void *poll_function(void) { return tagged_poll; }
// static const char *explain(struct tagged_ops *ops, int e) { return ops->explain(e); }
import "C"

import (
	"unsafe"

	"gobench/transports/native"
)

// core calls the part in C.
type core struct {
	t      *C.struct_tagged
	op     *C.struct_tagged_op // in memory of C
	loop   *C.struct_tagged_loop
	caller native.Caller
	turn   native.Turn

	// t and op, as arguments of calls
	handle, argument uintptr

	send, receive, pingpong, access, settle, watch, probe, poll unsafe.Pointer
}

var _ = [1]struct{}{}[unsafe.Sizeof(C.struct_tagged_op{})-72]

const (
	began = C.TAGGED_BEGAN
	done  = C.TAGGED_DONE
	event = C.TAGGED_EVENT
	busy  = C.TAGGED_BUSY
	local = C.TAGGED_LOCAL

	accessPut, accessGet, accessAdd, accessSwap, accessFlush = C.TAGGED_PUT, C.TAGGED_GET, C.TAGGED_ADD, C.TAGGED_SWAP, C.TAGGED_FLUSH

	anyRequest = C.TAGGED_ANY
	noRequest  = C.TAGGED_NONE

	truncated = C.TAGGED_TRUNCATED
	cancelled = C.TAGGED_CANCELLED
)

func newCore(ops unsafe.Pointer, rank, ranks int, l layout) (*core, error) {
	caller, err := native.NewCaller()
	if err != nil {
		return nil, err
	}
	t := C.tagged_new((*C.struct_tagged_ops)(ops), C.int(rank), C.int(ranks), C.int(tagBits), C.uint64_t(l.sync), C.uint64_t(l.control))
	op := (*C.struct_tagged_op)(C.calloc(1, C.sizeof_struct_tagged_op))
	loop := (*C.struct_tagged_loop)(C.calloc(1, C.sizeof_struct_tagged_loop))
	if t == nil || op == nil || loop == nil {
		caller.Close()
		return nil, errMemory
	}
	return &core{t: t, op: op, loop: loop, caller: caller, handle: uintptr(unsafe.Pointer(t)), argument: uintptr(unsafe.Pointer(op)),
		send: C.send_function(), receive: C.receive_function(), pingpong: C.pingpong_function(), access: C.access_function(), settle: C.settle_function(),
		watch: C.watch_function(), probe: C.probe_function(), poll: C.poll_function()}, nil
}

// probed probes for a message once.
func (c *core) probed() bool {
	return c.caller.Call(c.probe, c.handle, c.argument) == done
}

// polled polls at most turns times for a request.
func (c *core) polled(number, turns int) int {
	c.op.number = cInt(number)
	return c.started(c.poll, turns)
}

// started calls a function that may poll at most turns times.
func (c *core) started(fn unsafe.Pointer, turns int) int {
	c.op.turns = cInt(turns)
	r := c.caller.Call(fn, c.handle, c.argument)
	c.turn.Take()
	return r
}

func (c *core) number() int { return int(c.op.number) }

// buffer sets the buffer of the next call, which the caller keeps alive.
func (c *core) buffer(b []byte) { setBuffer(c.op, b) }

func setBuffer(op *C.struct_tagged_op, b []byte) {
	op.buffer = C.uint64_t(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	op.length = C.uint64_t(len(b))
}

// pingPong continues the loop.
func (c *core) pingPong() int {
	r := c.caller.Call(c.pingpong, c.handle, uintptr(unsafe.Pointer(c.loop)))
	c.turn.Take()
	return r
}

// finished returns the number of a new request that is complete, with the result of op.
func (c *core) finished() int { return int(C.tagged_finished(c.t, c.op)) }

// ended reports whether a request is complete.
func (c *core) ended(number int) bool { return C.tagged_ended(c.t, C.int(number)) != 0 }

func cInt(i int) C.int32_t      { return C.int32_t(i) }
func cWord(w uint64) C.uint64_t { return C.uint64_t(w) }

func (c *core) start() int           { return int(C.tagged_start(c.t)) }
func (c *core) cancel(number int)    { C.tagged_cancel(c.t, C.int(number)) }
func (c *core) abandon(number int)   { C.tagged_abandon(c.t, C.int(number)) }
func (c *core) goodbye(peer int) int { return int(C.tagged_goodbye(c.t, C.int(peer))) }
func (c *core) controls() int        { return int(C.tagged_controls(c.t)) }
func (c *core) forget(peer int)      { C.tagged_forget(c.t, C.int(peer)) }
func (c *core) drop(peer int)        { C.tagged_drop(c.t, C.int(peer)) }
func (c *core) fate(peer int) int    { return int(C.tagged_fate(c.t, C.int(peer))) }
func (c *core) outstanding() int     { return int(c.t.busy) }

// open returns the number of operations on memory of a peer that have not ended.
func (c *core) open(peer int) int { return int(unsafe.Slice(c.t.accesses, c.t.ranks)[peer].open) }

// explain returns the text for an error.
func (c *core) explain(e int) string {
	if e == local {
		return "this rank has no memory for it, or may not lock its buffer (raise the limit of locked memory: ulimit -l)"
	}
	return C.GoString(C.explain(&c.t.ops, C.int(e)))
}

// library returns the pointer with which the library reports lost peers.
func (c *core) library() unsafe.Pointer { return unsafe.Pointer(C.tagged_core(c.t)) }

func (c *core) close() {
	C.tagged_free(c.t)
	C.free(unsafe.Pointer(c.op))
	C.free(unsafe.Pointer(c.loop))
	c.caller.Close()
}
