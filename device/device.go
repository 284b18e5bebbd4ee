// Package device is the contract between message passing and the networks. A Device moves tagged
// byte messages between the processes (ranks) of one job. It knows ranks, tags and contexts, but no
// communicators, no data types and no topology. It corresponds to the layer xxdev of the thesis
// (docs/sources.md).
//
// The package contains interfaces, typed errors and the driver registry. It transfers no data
// itself, and imports nothing of gobench but package nearest, for its suggestions, and package
// profile, for the choices of a Trier.
package device

import (
	"cmp"
	"fmt"
	"math"
)

// Wildcards of Irecv, Recv, Probe and Iprobe. Contexts have no wildcard.
const (
	AnySource = -1
	AnyTag    = int32(-1)
)

// Request is the handle of a non-blocking operation: a plain value, so that
// starting an operation allocates nothing. The zero Request is never valid.
//
// A request is released by the Wait that returns it or by the Test that reports it done. A released
// handle yields ErrRequest.
type Request uint64

// A Status describes the message of a completed receive or of a successful probe.
type Status struct {
	Source    int   // rank of the sender
	Tag       int32 // tag of the message
	Size      int   // bytes of the message as sent, even where fewer were stored
	Cancelled bool  // the operation was cancelled and nothing was transferred
}

// A Channel carries ordered messages between pairs of ranks. Every level of measurement implements
// it: a Device is a Channel that also matches, the bare wire (RawOpener) is a Channel that does
// not.
//
// A Channel belongs to one goroutine at a time (MPI_THREAD_SERIALIZED).
// Between Isend or Irecv and the completion of the request the buffer belongs
// to the channel: a send buffer may be read but not written, a receive buffer
// neither. Buffers are kept alive by the channel for that time.
//
// Errors: ErrClosed after Close, *ArgumentError for a bad rank or tag,
// *PeerError when a peer that the operation needs is dead, ErrRequest for a
// handle that is not live. A blocking call is the non-blocking one and Wait.
type Channel interface {
	Rank() int
	Size() int

	// Isend starts a standard-mode send. It completes when buf may be reused, whether or not the
	// receiver has matched.
	Isend(buf []byte, dst int, tag, context int32) (Request, error)
	// Irecv starts a receive of the first message that matches (src, tag,
	// context), in the order of MPI: messages of one sender in one context do
	// not overtake each other. A longer message fills buf and completes with
	// a *TruncationError; nothing past buf is written.
	Irecv(buf []byte, src int, tag, context int32) (Request, error)
	Send(buf []byte, dst int, tag, context int32) error
	Recv(buf []byte, src int, tag, context int32) (Status, error)

	// Wait blocks until the request is complete and releases it. It spins,
	// then yields the processor, then sleeps.
	Wait(Request) (Status, error)
	// Test makes progress once. If the request is complete it is released and
	// Test reports true.
	Test(Request) (Status, bool, error)

	Info() Info
	// Close completes the transfers under way with live peers, notifies these peers and frees all
	// resources. The channel cannot be used afterwards.
	Close() error
}

// A Device is a Channel with matching by source, tag and context. Package devicetest tests the
// rules of this contract; every transport passes it.
//
// Progress is made inside calls. A rank that makes no call makes no progress, but never makes
// another rank lose or reorder a message.
type Device interface {
	Channel

	// Issend and Ssend complete only once the receiver has matched.
	Issend(buf []byte, dst int, tag, context int32) (Request, error)
	Ssend(buf []byte, dst int, tag, context int32) error

	// Iprobe makes progress once and reports, without receiving it, the first
	// message that a receive with these arguments would match.
	Iprobe(src int, tag, context int32) (Status, bool, error)
	// Probe waits until Iprobe would report a message.
	Probe(src int, tag, context int32) (Status, error)
	// Peek blocks until one of the outstanding non-blocking requests is
	// complete and returns it, first completed first, without releasing it:
	// pass it to Wait or Test. It returns ErrRequest when none is outstanding.
	Peek() (Request, error)
	// Cancel requests that an unmatched operation is cancelled. It does not block. Wait then
	// reports Status.Cancelled, or the ordinary result if the operation was matched before.
	Cancel(Request) error

	// Alloc returns n bytes that the transport transfers fastest (shared or registered memory),
	// page aligned and zeroed. They are valid until Free or Close. Messages may also be in any
	// other memory.
	Alloc(n int) ([]byte, error)
	Free([]byte) error
}

// An Info describes an open channel, for the record.
type Info struct {
	Transport string            // driver name
	Options   map[string]string // every option in force, by name
	// Found holds what the transport or the kernel chose when the channel was opened and may choose
	// otherwise next time, by name. It may be nil.
	Found         map[string]string
	MemoryPerPair int64  // bytes of buffers for one pair of ranks, both directions
	Ranks         string // "process" or "goroutine"
	// small messages to all peers take less than a microsecond, so that a reading of the clock is
	// no small part of one
	Quick bool

	// MaxTag and MaxContext are the largest tag and context of a message, at least 32767 and 63. 0
	// means math.MaxInt32. Libraries that match fewer bits have smaller ones (MPI_TAG_UB).
	MaxTag, MaxContext int32

	// the network interfaces used between hosts and the reason for their choice; "" = unknown, or
	// one host
	Route    string
	MTU      int      // largest IP packet, in bytes, on the path to a peer on another host; 0 = unknown
	Warnings []string // caveats for readers of results, one sentence each

	// Path names the protocol and copy method that a message of size bytes takes now, such as
	// "eager" or "rndv-split-cma", to the partner of IMB-P2P (rank + size/2) if peers differ.
	Path func(size int, t Traffic) string
}

// Traffic holds what the path of a message depends on besides its size. The zero Traffic is one
// message at a time between ordinary memory.
type Traffic struct {
	Alloced bool // both buffers are from the device's Alloc
	Both    bool // messages between the two ranks are under way in both directions
	Stream  bool // several messages to a rank are under way
}

// Tags returns the largest tag.
func (i Info) Tags() int32 { return cmp.Or(i.MaxTag, math.MaxInt32) }

// Contexts returns the largest context.
func (i Info) Contexts() int32 { return cmp.Or(i.MaxContext, math.MaxInt32) }

// An ImmediateSender is a device that can send without a request.
type ImmediateSender interface {
	// SendNow is an Isend that is complete when it returns true. It returns false and does nothing
	// where the message has to wait, and where Isend returns an error.
	SendNow(buf []byte, dst int, tag, context int32) bool
}

// A WaitMeter is a channel that can measure how long its rank waits for ranks of its own host (see
// Job.Hosts) and for ranks of other hosts.
type WaitMeter interface {
	// MeterWaits starts a measurement from zero, or ends the current one. It must not be called
	// while an operation is outstanding.
	MeterWaits(on bool)
	// Waits returns the seconds spent in blocking calls, from the first unsuccessful poll to the
	// end of the call: inside for ranks of this host, between for ranks of other hosts. Waits for
	// shared memory count from the first call of Sharer.Progress, which names the peer. A wait for
	// several operations (Peek, or while a non-blocking collective is under way) has no one peer
	// and is not counted.
	Waits() (inside, between float64)
}

// A CoreLatencyMeter is a shared-memory channel that measures the latency between the cores of two
// ranks. CoreLatency passes a cache line to peer and back rounds times and returns half of the mean
// round-trip time, in seconds. On some processors that depends on the address of the line, so there
// are CoreLines lines, of which line (0 or more, modulo CoreLines) chooses one. Both ranks of the
// pair must call it at the same time with the same line, with no other traffic under way between
// them.
type CoreLatencyMeter interface {
	CoreLatency(peer, line, rounds int) (float64, error)
}

// CoreLines is the number of lines of a CoreLatencyMeter. Their median is the latency of a pair.
const CoreLines = 5

// An Interrupter is a Channel whose waits another goroutine can end. A rank that must end cannot
// rely on its peers: one may be stopped by a signal, or wait for something that never comes.
type Interrupter interface {
	// Interrupt makes blocking calls, the one under way and later ones, return an
	// *InterruptedError with cause, within some hundred milliseconds. Close no longer waits for
	// peers then. Interrupt may be called by any goroutine, at any time, and does not block; only
	// the first call counts.
	Interrupt(cause error)
}

// An InterruptedError is returned by operations of a Channel after Interrupt.
type InterruptedError struct {
	Rank  int    // the peer that was awaited; -1 = none, or any
	Host  string // of that peer, if the job has several hosts
	Cause error  // argument of Interrupt
}

func (e *InterruptedError) Error() string {
	if e.Rank < 0 {
		return fmt.Sprintf("interrupted: %v", e.Cause)
	}
	return fmt.Sprintf("interrupted while waiting for %s: %v", RankName(e.Rank, e.Host), e.Cause)
}

func (e *InterruptedError) Unwrap() error { return e.Cause }
