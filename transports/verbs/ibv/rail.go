//go:build verbs && cgo

package ibv

// #include <stdlib.h>
// #include "rail.h"
import "C"

import (
	"syscall"
	"unsafe"

	"gobench/transports/native"
)

// A Config is the configuration of a rail. Its counts do not change after Open.
type Config struct {
	Peers   int  // queues
	Credits int  // packets that a peer may send without an answer
	Buffer  int  // data bytes of a packet
	Depth   int  // requests of a send queue, a power of two
	Slots   int  // send buffers
	Inline  int  // largest inline limit to try, in bytes with the header
	Shared  bool // one receive queue for all peers, which XRC needs
	Port    int
	Service Service // of the data queues
	Control int     // index of the first control queue; Peers if the service is reliable
	Events  bool    // completions can be waited for (Sleep)
}

// Service is the transport service of a queue pair, enum ibv_qp_type.
type Service uint32

// The services. UC and UD do not retransmit lost packets; their queues are numbered from 0,
// followed by an RC control queue for each peer.
const (
	RC Service = C.IBV_QPT_RC
	UC Service = C.IBV_QPT_UC
	UD Service = C.IBV_QPT_UD
	// XRC has for each peer a queue pair that sends (the initiator) and one that receives (the
	// target).
	XRC Service = C.IBV_QPT_XRC_SEND
)

// A Rail is one port of one device: completion queue, buffers and a queue for each peer. It belongs
// to one goroutine at a time.
type Rail struct {
	r      *C.struct_rail
	caller native.Caller
	events []Event // memory of C, valid until the next Poll
	turn   native.Turn
	out    outgoing // of the last Send
}

// An Event is an event found by Poll. Its layout equals struct event.
type Event struct {
	Kind   Kind
	Queue  uint32
	Length uint32
	Word   uint32
	Token  uint64
	Header [3]uint64
	data   *byte
	Status Status
	Op     Operation
	Vendor uint32
	_      int32
}

// The layouts must agree.
var _ = [1]struct{}{}[unsafe.Sizeof(Event{})-unsafe.Sizeof(C.struct_event{})]

// Kind is the kind of an Event.
type Kind uint32

const (
	Packet Kind = C.PACKET // Header and Data
	Notice Kind = C.NOTICE // Word, after the data of a write has been written
	Ended  Kind = C.ENDED  // the write or read of Token
	Broken Kind = C.BROKEN // a request failed and the queue is dead: Status, Op
)

// Data returns the data of a packet, valid until the next Poll.
func (e *Event) Data() []byte { return unsafe.Slice(e.data, int(e.Length)) }

// headSize is the size of the header before the data of each packet, in bytes.
const headSize = int(C.sizeof_struct_prefix)

// MaxDatagram returns the most data bytes of a UD packet on a path of this MTU (enum ibv_mtu).
func MaxDatagram(mtu int) int { return 128<<mtu - headSize }

// Open opens a rail on a device by name.
func Open(device string, c Config) (*Rail, error) {
	name := C.CString(device)
	defer C.free(unsafe.Pointer(name))
	var context *C.struct_ibv_context
	var e C.int
	if what := C.gb_open_device(name, &context, &e); what != nil {
		return nil, failed(what, e)
	}
	return open(context, true, c)
}

func open(context *C.struct_ibv_context, owns bool, c Config) (*Rail, error) {
	config := C.struct_config{
		peers: C.uint32_t(c.Peers), credits: C.uint32_t(c.Credits), buffer: C.uint32_t((c.Buffer + headSize + C.GRH + 63) &^ 63),
		depth: C.uint32_t(c.Depth), slots: C.uint32_t(c.Slots), port: C.uint32_t(c.Port),
		service: C.uint32_t(c.Service), control: C.uint32_t(c.Control), events: C.uint32_t(flag(c.Events)),
	}
	if c.Shared {
		config.shared = 1
	}
	var e C.int
	var r *C.struct_rail
	var lack C.struct_shortage
	if what := C.gb_rail_open(&r, context, flag(owns), &config, &lack, &e); what != nil {
		if lack.name != nil {
			return nil, &LimitError{What: C.GoString(lack.name), Want: uint64(lack.want), Max: uint64(lack.max)}
		}
		return nil, failed(what, e)
	}
	own, err := native.NewCaller()
	if err != nil {
		C.gb_rail_close(r)
		return nil, err
	}
	rail := &Rail{r: r, caller: own, events: unsafe.Slice((*Event)(unsafe.Pointer(&r.events[0])), C.BATCH)}
	if what := C.gb_find_inline(r, C.uint32_t(c.Inline)); what != nil {
		err := rail.failed(what)
		rail.Close()
		return nil, err
	}
	return rail, nil
}

// Close frees the rail and its queues. Memory must have been deregistered before.
func (r *Rail) Close() {
	C.gb_rail_close(r.r)
	r.caller.Close()
	r.r, r.events = nil, nil
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func failed(what *C.char, e C.int) error {
	return &CallError{C.GoString(what), syscall.Errno(max(e, -e))}
}

func (r *Rail) failed(what *C.char) error { return failed(what, r.r.error) }

// Inline returns the inline limit in bytes, packet headers included.
func (r *Rail) Inline() int { return int(r.r.c.inlined) }

// Port holds the attributes of a port.
type Port struct {
	LID        uint16
	MTU        int // enum ibv_mtu: 256 << (MTU-1) bytes
	MaxMessage int // most bytes of one request
	Active     bool
	Ethernet   bool
	Reads      int // maximum number of outstanding reads of a queue
	IWARP      bool
	Global     bool // peers are addressed by GID only
	Atomics    bool // fetch-and-add, compare-and-swap
}

// Port returns the attributes of the rail's port at the time of its opening.
func (r *Rail) Port() Port {
	p, d := &r.r.port, &r.r.device
	return Port{
		LID: uint16(p.lid), MTU: int(p.active_mtu), MaxMessage: int(p.max_msg_sz), Active: p.state == C.IBV_PORT_ACTIVE,
		Ethernet: p.link_layer == C.IBV_LINK_LAYER_ETHERNET, Reads: int(min(d.max_qp_rd_atom, d.max_qp_init_rd_atom)),
		Global:  p.link_layer == C.IBV_LINK_LAYER_ETHERNET || p.flags&C.IBV_QPF_GRH_REQUIRED != 0,
		Atomics: d.atomic_cap != C.IBV_ATOMIC_NONE,
		IWARP:   r.r.context.device.transport_type == C.IBV_TRANSPORT_IWARP,
	}
}

// Landing returns the address and the key of memory of this rail to which any peer may write.
func (r *Rail) Landing() (address uint64, rkey uint32) {
	return uint64(uintptr(unsafe.Pointer(r.r.landing))), uint32(r.r.mr.rkey)
}

// Bytes returns the size of the registered buffers.
func (r *Rail) Bytes() int64 { return int64(r.r.size) }
