//go:build verbs && cgo

package ibv

// #cgo noescape gb_cm_next
// #cgo nocallback gb_cm_next
// #include <stdlib.h>
// #include "cm.h"
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// A CM is one rail's end of RDMA CM: it listens and connects.
type CM struct {
	channel *C.struct_rdma_event_channel
	id      *C.struct_rdma_cm_id
	address string
	Port    int // where it listens
}

// errNotHere is the error for an address that does not belong to the device.
var errNotHere = syscall.ENODEV

// NotHere reports whether err means that an address does not belong to the device.
func NotHere(err error) bool { return errors.Is(err, errNotHere) }

// ListenCM listens at an address of a port of a device.
func ListenCM(address, device string, index int) (*CM, error) {
	a, d := C.CString(address), C.CString(device)
	defer C.free(unsafe.Pointer(a))
	defer C.free(unsafe.Pointer(d))
	c := &CM{address: address}
	var port, e C.int
	if what := C.gb_cm_listen(a, d, C.int(index), &c.channel, &c.id, &port, &e); what != nil {
		return nil, failed(what, e)
	}
	c.Port = int(port)
	return c, nil
}

// Open opens a rail on the device on which c listens.
func (c *CM) Open(config Config) (*Rail, error) { return open(c.id.verbs, false, config) }

// Close closes c. Queues that it connected must have been dropped.
func (c *CM) Close() { C.gb_cm_close(c.channel, c.id) }

// Call begins to connect a queue to a listening peer. The next event is AddressResolved.
func (c *CM) Call(r *Rail, queue int, to string, port, trafficClass, timeout int) error {
	from, there := C.CString(c.address), C.CString(to)
	defer C.free(unsafe.Pointer(from))
	defer C.free(unsafe.Pointer(there))
	return r.ok(C.gb_cm_call(r.r, c.channel, C.uint32_t(queue), from, there, C.int(port), C.int(trafficClass), C.int(timeout)))
}

func (r *Rail) ok(what *C.char) error {
	if what != nil {
		return r.failed(what)
	}
	return nil
}

// CMKind is enum rdma_cm_event_type.
type CMKind int

// The events of a successful connection, in order, and its end. Any other is a failure. A caller
// gets Response or, on iWARP, Established.
const (
	AddressResolved CMKind = C.RDMA_CM_EVENT_ADDR_RESOLVED
	RouteResolved   CMKind = C.RDMA_CM_EVENT_ROUTE_RESOLVED
	ConnectRequest  CMKind = C.RDMA_CM_EVENT_CONNECT_REQUEST
	Response        CMKind = C.RDMA_CM_EVENT_CONNECT_RESPONSE
	Established     CMKind = C.RDMA_CM_EVENT_ESTABLISHED
	Rejected        CMKind = C.RDMA_CM_EVENT_REJECTED
	Disconnected    CMKind = C.RDMA_CM_EVENT_DISCONNECTED
	TimeWaitExit    CMKind = C.RDMA_CM_EVENT_TIMEWAIT_EXIT
	AddressChange   CMKind = C.RDMA_CM_EVENT_ADDR_CHANGE
	DeviceRemoval   CMKind = C.RDMA_CM_EVENT_DEVICE_REMOVAL
)

var cmKinds = map[CMKind]string{
	AddressResolved: "RDMA_CM_EVENT_ADDR_RESOLVED", RouteResolved: "RDMA_CM_EVENT_ROUTE_RESOLVED",
	ConnectRequest: "RDMA_CM_EVENT_CONNECT_REQUEST", Response: "RDMA_CM_EVENT_CONNECT_RESPONSE", Established: "RDMA_CM_EVENT_ESTABLISHED",
	Disconnected: "RDMA_CM_EVENT_DISCONNECTED", TimeWaitExit: "RDMA_CM_EVENT_TIMEWAIT_EXIT",
	C.RDMA_CM_EVENT_ADDR_ERROR: "RDMA_CM_EVENT_ADDR_ERROR", C.RDMA_CM_EVENT_ROUTE_ERROR: "RDMA_CM_EVENT_ROUTE_ERROR",
	C.RDMA_CM_EVENT_CONNECT_ERROR: "RDMA_CM_EVENT_CONNECT_ERROR", C.RDMA_CM_EVENT_UNREACHABLE: "RDMA_CM_EVENT_UNREACHABLE",
	Rejected: "RDMA_CM_EVENT_REJECTED", DeviceRemoval: "RDMA_CM_EVENT_DEVICE_REMOVAL", AddressChange: "RDMA_CM_EVENT_ADDR_CHANGE",
}

func (k CMKind) String() string {
	if n, ok := cmKinds[k]; ok {
		return n
	}
	return fmt.Sprintf("RDMA CM event %d", int(k))
}

// A CMEvent is one event. Queue is -1 for a ConnectRequest, which contains the rank of the caller.
type CMEvent struct {
	Kind   CMKind
	Status int
	Queue  int
	Token  uint64 // the proof of the caller
	Rank   int    // -1: unknown
	Lane   int    // which of its queues
	Busy   bool   // refused by a peer that is calling this rank
	reads  [2]C.int
	id     *C.struct_rdma_cm_id
}

// magic excludes other programs.
const magic = 0x676f6265

// Next returns the next event; ok is false if there is none now.
func (c *CM) Next(r *Rail) (e CMEvent, ok bool, err error) {
	var x C.struct_cm_event
	if what := C.gb_cm_next(r.r, c.channel, &x); what != nil {
		if errno := syscall.Errno(r.r.error); errno == syscall.EAGAIN || errno == syscall.EINTR {
			return e, false, nil
		}
		return e, false, r.failed(what)
	}
	e = CMEvent{Kind: CMKind(x._type), Status: int(x.status), Queue: int(x.queue), Rank: -1, Busy: x.busy != 0, reads: [2]C.int{x.answers, x.asks}, id: x.id}
	if x.greeted != 0 && x.greeting.magic == magic {
		e.Token, e.Rank, e.Lane = uint64(x.greeting.token), int(x.greeting.rank), int(x.greeting.lane)
	}
	return e, true, nil
}

// Route handles AddressResolved: it creates the queue pair and resolves the route.
func (r *Rail) Route(e CMEvent) error { return r.ok(C.gb_cm_route(r.r, e.id, C.uint32_t(e.Queue))) }

// Greet handles RouteResolved: it connects, and sends the proof and the rank.
func (r *Rail) Greet(e CMEvent, token uint64, rank, lane, reads, retries int) error {
	g := C.struct_greeting{token: C.uint64_t(token), magic: magic, rank: C.uint16_t(rank), lane: C.uint16_t(lane)}
	return r.ok(C.gb_cm_connect(r.r, e.id, &g, C.int(reads), C.int(retries)))
}

// Establish handles Response: the queue's packets are at most of this path MTU (enum ibv_mtu).
func (r *Rail) Establish(e CMEvent, mtu int) error {
	return r.ok(C.gb_cm_establish(r.r, e.id, C.uint32_t(e.Queue), C.int(mtu)))
}

// Accept handles ConnectRequest: it accepts the connection for a queue, with packets of at most
// this path MTU (enum ibv_mtu), and at most as many outstanding reads as the caller supports.
func (r *Rail) Accept(e CMEvent, queue, mtu, reads, timeout int) error {
	l := C.struct_limits{mtu: C.uint8_t(mtu), answers: e.limit(0, reads), asks: e.limit(1, reads)}
	return r.ok(C.gb_cm_accept(r.r, e.id, C.uint32_t(queue), l, C.int(timeout)))
}

// limit returns the smaller limit of both sides on reads as target (0) or as initiator (1). iWARP
// does not exchange limits.
func (e CMEvent) limit(i, reads int) C.uint8_t {
	if e.reads[i] == 0 {
		return C.uint8_t(reads)
	}
	return C.uint8_t(min(C.int(reads), e.reads[i]))
}

// Refuse rejects a ConnectRequest: of another program or, if busy, of a peer that this side is
// calling.
func (e CMEvent) Refuse(busy bool) { C.gb_cm_refuse(e.id, flag(busy)) }

// SetLive enables sending on a queue that is Established.
func (r *Rail) SetLive(queue int) { r.queue(queue).live = 1 }

// SetLiveWhenGreeted enables sending on a queue once the caller's SendGreeting has arrived.
func (r *Rail) SetLiveWhenGreeted(queue int) { r.queue(queue).awaiting = 1 }

// SendGreeting sends an empty packet on a live queue.
func (r *Rail) SendGreeting(queue int) error {
	if s := Sent(C.gb_greet(r.r, C.uint32_t(queue))); s != 0 {
		return s.Err("ibv_post_send")
	}
	return nil
}
