//go:build verbs && cgo

package ibv

// #cgo noescape gb_perf_latency
// #cgo nocallback gb_perf_latency
// #cgo noescape gb_perf_stream
// #cgo nocallback gb_perf_stream
// #include "perf.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// Perf is a measurement in the manner of perftest. Its layout is that of struct perf.
type Perf struct {
	Op         Operation // OpSend, OpWrite or OpRead
	Queues     uint32    // used in turn; latency takes the first
	Length     uint32
	LKey, RKey uint32
	_          uint32
	Out, In    uint64 // memory of this side, registered under LKey
	Remote     uint64 // memory of the other side, under RKey
}

var _ = [1]struct{}{}[unsafe.Sizeof(Perf{})-unsafe.Sizeof(C.struct_perf{})]

func (p *Perf) c() *C.struct_perf { return (*C.struct_perf)(unsafe.Pointer(p)) }

func perfError(e C.int) error {
	if e < 0 {
		return &CallError{"measuring", syscall.Errno(-e)}
	}
	return nil
}

// Latency is rounds messages there and back, or rounds reads by the side that is first.
func (r *Rail) Latency(p *Perf, rounds int, first bool) error {
	return perfError(C.gb_perf_latency(r.r, p.c(), C.uint32_t(rounds), flag(first)))
}

// Stream is messages in one direction, as many at a time as fit.
func (r *Rail) Stream(p *Perf, messages int) error {
	return perfError(C.gb_perf_stream(r.r, p.c(), C.uint32_t(messages)))
}

// Sink takes the packets of a Stream of OpSend.
func (r *Rail) Sink(messages int) error { return perfError(C.gb_perf_sink(r.r, C.uint32_t(messages))) }
