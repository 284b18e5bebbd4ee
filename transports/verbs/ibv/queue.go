//go:build verbs && cgo

package ibv

// #include "rail.h"
import "C"

import "unsafe"

// Numbers identifies a queue to a peer: the numbers of the queue pair that sends requests and of
// the one that receives the peer's (the same except over XRC), and over XRC the number of the
// shared receive queue. Every rank sends them for each queue to all ranks, so their names in JSON
// are short.
type Numbers struct {
	Sender   uint32 `json:"s"`
	Receiver uint32 `json:"r"`
	Shared   uint32 `json:"q,omitempty"`
}

// An Address identifies a queue to the peer that connects to it.
type Address struct {
	Numbers
	Sequence uint32
	LID      uint16
	GID      [16]byte
	MTU      int
}

// A Path describes the route of packets to a peer, and their time-outs.
type Path struct {
	Global       bool // by GID: always on Ethernet
	GIDIndex     int
	ServiceLevel int
	TrafficClass int
	Timeout      int // local ack time-out: 4.096 us x 2^Timeout
	Retries      int
	Reads        int // maximum number of outstanding reads
}

// Create creates the queue of a peer and posts its receive buffers.
func (r *Rail) Create(queue int) (Numbers, error) {
	what := C.gb_queue_create(r.r, C.uint32_t(queue))
	var n C.struct_numbers
	if what == nil {
		what = C.gb_queue_numbers(r.r, C.uint32_t(queue), &n)
	}
	if what != nil {
		return Numbers{}, r.failed(what)
	}
	return Numbers{uint32(n.sender), uint32(n.receiver), uint32(n.shared)}, nil
}

// Connect connects a queue to that of a peer. sequence is the number of its first packet.
func (r *Rail) Connect(queue int, sequence uint32, to Address, p Path) error {
	a := C.struct_address{
		numbers:  C.struct_numbers{sender: C.uint32_t(to.Sender), receiver: C.uint32_t(to.Receiver), shared: C.uint32_t(to.Shared)},
		sequence: C.uint32_t(to.Sequence), lid: C.uint16_t(to.LID), mtu: C.uint8_t(to.MTU),
	}
	for i, b := range to.GID {
		a.gid[i] = C.uint8_t(b)
	}
	if p.Global {
		a.global = 1
	}
	path := C.struct_path{gid_index: C.uint8_t(p.GIDIndex), sl: C.uint8_t(p.ServiceLevel), traffic_class: C.uint8_t(p.TrafficClass),
		timeout: C.uint8_t(p.Timeout), retries: C.uint8_t(p.Retries), reads: C.uint8_t(p.Reads)}
	if what := C.gb_queue_connect(r.r, C.uint32_t(queue), C.uint32_t(sequence), &a, &path); what != nil {
		return r.failed(what)
	}
	return nil
}

// Break ends the traffic of a queue, so that the peer detects it.
func (r *Rail) Break(queue int) { C.gb_queue_break(r.r, C.uint32_t(queue)) }

// Drop destroys a queue. The adapter accesses no buffer of its requests after that.
func (r *Rail) Drop(queue int) { C.gb_queue_drop(r.r, C.uint32_t(queue)) }

// Discard abandons a connection request of this side, so that the queue can accept one of the peer.
func (r *Rail) Discard(queue int) { C.gb_queue_discard(r.r, C.uint32_t(queue)) }

// Withdraw ends a call that has not reached the peer, so that the queue can call again.
func (r *Rail) Withdraw(queue int) { C.gb_queue_withdraw(r.r, C.uint32_t(queue)) }

// Live reports whether a queue can send.
func (r *Rail) Live(queue int) bool { return r.queue(queue).live != 0 }

// Called reports whether a queue belongs to a connection of RDMA CM, made or under way.
func (r *Rail) Called(queue int) bool { return r.queue(queue).id != nil }

// Drained reports whether all requests of a queue are complete.
func (r *Rail) Drained(queue int) bool {
	q := r.queue(queue)
	return q.posted == q.done
}

// Asking reports whether an Alive is unanswered.
func (r *Rail) Asking(queue int) bool { return r.queue(queue).alive > 0 }

func (r *Rail) queue(i int) *C.struct_queue {
	return &unsafe.Slice(r.r.queues, int(r.r.c.peers))[i]
}

// A PathInUse describes the route of a connected queue pair.
type PathInUse struct {
	MTU          int // bytes; 0: not reported by the driver
	TrafficClass int // -1: none
}

// PathInUse queries a queue pair. ok is false if it is not connected, or its driver does not report
// the route.
func (r *Rail) PathInUse(queue int) (w PathInUse, ok bool) {
	var mtu, class C.int
	ok = C.gb_queue_path(r.r, C.uint32_t(queue), &mtu, &class) != 0
	return PathInUse{int(mtu), int(class)}, ok
}
