// Package protocol turns a Wire, which can only carry packets, into a device.Device: tag matching,
// eager and rendezvous transfers, flow control, cancellation and failure are implemented here once,
// for every transport.
//
// The protocols come from ibvdev and ugnidev of the thesis and from iodev of the papers
// (docs/sources.md). A transport configures them by the Limits of its wire.
//
// # Buffers
//
// A buffer of the user belongs to the device from the start of its operation until the request is
// complete. Eager data are copied by the wire in Push, so such a send is complete when its last
// packet is pushed. Of a rendezvous the wire may read or write the buffer of a peer until that
// peer, too, has said that its part is over (FIN). When a peer dies, its requests complete only
// after the wire has severed it and can no longer access their buffers.
//
// # Trust
//
// A peer runs the same program, but may be damaged or wrong. All that it sends is checked before it
// is used as an index, a length or a state: kinds, sizes, requests, methods, credits, words of
// notices. A violation ends the peer with a *device.ProtocolError as the cause, never this rank,
// and the memory that a peer can make this rank hold is bounded: by its budget for eager data, and
// by the number of announcements and of queued answers.
//
// # Time
//
// Nothing is done in the background: a rank makes progress only in its calls. Each call that waits,
// tests or completes a message polls; long sequences of calls that need no poll do it now and then
// (shortcut). The clock is read at most once in many polls, and calls of steady state neither
// allocate nor lock. The only other goroutine that may touch a device calls Interrupt.
//
// # Errors
//
// The error of an operation names the peer that it needs: *device.PeerError if that has died or
// closed, *device.InterruptedError after Interrupt, *device.TruncationError if the message is
// longer than the buffer. An operation fails once, and after the failure of a peer others go on,
// except in contexts that are bound to it (Bind).
package protocol

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// A Wire is the transport of one rank below the protocol: it carries small packets to and from
// every other rank of the job, reliably and in order for each pair. It does no matching. All calls
// come from the goroutine that owns the device. A Sink's methods may call Push and Sever, and no
// other method of the Wire.
//
// Eleven further interfaces are optional; the protocol looks them up when the device is made. A
// wire that can move memory without packets is an RMA (with Notifier, Looper, Router, Allocator),
// one whose ranks wait better than by Poll a Peeker or a Sleeper, one that carries packets of any
// length a Lander. Severer and Leaver take part in the end of a peer or of the device, and Exporter
// shares memory.
type Wire interface {
	// Push sends one packet to peer. It accepts the whole packet or nothing: false means that there
	// is no room now, and the caller retries after Poll. data may be reused when Push returns;
	// len(data) is at most Limits().Packet. Push never blocks, and never allocates in steady state.
	// Packets to a peer that was reported Failed are dropped (true).
	Push(peer int, h Header, data []byte) bool

	// Poll delivers packets that have arrived, in order for each peer, and progresses what the wire
	// has queued. It reports whether anything happened. from is a hint: the peer from which the
	// caller expects a packet, or device.AnySource. Other peers must still be served within a
	// bounded number of calls.
	Poll(from int, sink Sink) bool

	// Idle detects peers that have died and reports them to sink. It is called about every 10 ms
	// while the caller waits (100 ms if it sleeps, see Sleeper), and otherwise once in some
	// thousand calls of the device, at most every 10 ms.
	Idle(sink Sink)

	// Limits returns the same value at each call.
	Limits() Limits

	// Close frees all resources. The protocol has sent a goodbye to all living peers before.
	Close() error
}

// A Peeker is a Wire that gives access to the next packet of one peer in place. It is the fastest
// way to wait for that peer: one tight loop with one mispredicted branch when the packet arrives,
// and no callback.
type Peeker interface {
	// Peek polls at most turns times for the next packet of peer from. The packet stays the next
	// one, and data valid, until Pop. Peek may miss a packet that Poll would find; Poll misses none
	// that Peek would find. Where Limits.PeekTurns is set, from may be device.AnySource: Peek then
	// returns no packet, but ends when the next Poll will find something.
	Peek(from, turns int) (h Header, data []byte, ok bool)
	// Pop removes the packet that Peek returned.
	Pop(from int)
	// Serve polls all peers but from once, and reports like Poll whether anything happened. It is
	// called from time to time while Peek finds every packet that the caller awaits.
	Serve(from int, sink Sink) bool
}

// A WireOpener is a device.Driver that can open its wire for some pairs of ranks only. Other wires
// serve the other pairs (Config.Parts).
type WireOpener interface {
	device.Driver
	// OpenWire is collective over all ranks of the job, as Open is; a rank without peers calls it,
	// too. The wire uses the rank numbers of the job, and is not called for peers that it does not
	// connect. The caller owns it. The Config describes a device over this wire only.
	OpenWire(ctx context.Context, job device.Job, opts device.Options, pairs Pairs) (Wire, Config, error)
}

// Pairs reports whether a wire connects two different ranks. It is symmetric and equal on all
// ranks. A nil Pairs connects all.
type Pairs func(a, b int) bool

// Connect reports whether two ranks are to be connected.
func (p Pairs) Connect(a, b int) bool { return a != b && (p == nil || p(a, b)) }

// A Sink receives what a Wire delivers from Poll and Idle.
type Sink interface {
	// Packet delivers one packet. data is valid only during the call.
	Packet(src int, h Header, data []byte)
	// Completed reports the end of a Put, Get or PushLong that was Pending. err is a
	// *device.PeerError where the transfer ended because the peer is dead.
	Completed(token uint64, err error)
	// Failed reports a dead peer, once; nothing from it is delivered later.
	Failed(peer int, cause string)
	// Goodbye delivers the word that a peer passed to Leaver.Leave.
	Goodbye(src int, word uint64)

	// Land returns memory for the size bytes of a long packet (Lander), or nil if the wire must
	// abandon the peer. The wire may write to it until it calls Landed, unless the peer is severed.
	Land(src int, h Header, size int) []byte
	// Landed reports that the data of the last long packet from src has been written.
	Landed(src int)

	// Notice delivers the word that a peer passed to a Notifier.
	Notice(src int, word uint32)
}

// A Lander is a Wire that carries packets of any length and copies their data directly from the
// sender's memory to the receiver's, without a buffer in between: tcp, where such a buffer costs a
// third of the bandwidth.
type Lander interface {
	// PushLong sends one packet, as Push does. Done: data may be reused. Pending: the wire owns
	// data until it calls Sink.Completed(token). Busy: there is no room now. Later packets and puts
	// are delivered later.
	PushLong(peer int, h Header, data []byte, token uint64) Started
}

// A Sleeper is a Wire that can wait without polling, for ranks that outnumber processors, and for
// wait=block.
type Sleeper interface {
	// Sleep returns how a rank of this job sleeps; the zero Sleep if it cannot. The result is
	// constant.
	Sleep() Sleep
}

// Sleep holds the calls by which a rank waits for the events of a wire. A call that the wire lacks
// is nil.
type Sleep struct {
	// Block waits for this wire alone. It returns when Poll may have something to do, and after d
	// at the latest. It may return early.
	Block func(d time.Duration)

	// Arm prepares a wait for several wires in one system call. It appends descriptors to fds; one
	// of them becomes ready when Poll may have something to do. It also returns the longest time to
	// wait: 0 if Poll has something to do already, a positive time if the wire has events that make
	// no descriptor ready, and a negative time if there is no limit.
	Arm func(fds []unix.PollFd) (armed []unix.PollFd, longest time.Duration)
	// Disarm ends the wait. It follows each Arm.
	Disarm func()
}

// can reports whether there is any way to sleep.
func (s Sleep) can() bool { return s.Block != nil || s.Arm != nil }

// Limits are the constant properties of a wire.
type Limits struct {
	Packet        int   // largest number of data bytes of one packet; at least 256
	PeekTurns     int   // turns of one Peek, if calls are expensive; 0: a few
	Calls         bool  // each turn of Peek is a system call
	Fragment      int   // best packet size in a stream, in data bytes: both sides copy at the same time
	Overlap       bool  // both sides copy: a message of a few packets takes less time in shorter ones
	EagerLimit    int   // size of the largest message that is sent eagerly, in bytes
	MemoryPerPair int64 // bytes of the wire's own buffers for one pair of ranks, both directions

	// Methods lists the methods that the wire's RMA supports, best first. A message above
	// EagerLimit uses the first, unless the wire is a Router. Pipeline needs no RMA and is always
	// possible.
	Methods []Method
	// Written reports that a completed put is in the memory of the peer, for all ranks. Otherwise
	// it is there before a later packet of this rank (RMA), but not before one of a third rank.
	Written bool
	// Copy names the copy method of RMA for ordinary memory, for the record: "cma", "direct",
	// "stream".
	Copy string
	// AllocCopy is Copy for memory of the wire's Allocator, "" if it is the same.
	AllocCopy string
	// CopyFrom copies src, the data of a packet of peer, to dst, which is as long. It is nil if
	// the wire does not know how memory is copied fastest that the core of a peer has written.
	CopyFrom func(peer int, dst, src []byte)
	// Move is the size of the largest put or get of a native loop, in bytes; 0: any.
	Move int
	// Goroutines reports that the ranks share one address space.
	Goroutines bool
	// Quick is device.Info.Quick.
	Quick bool
}

// A Router is a Wire that chooses the method for each message, by more than its size.
type Router interface {
	// Route returns the best route for a message of size bytes to or from peer. The sender calls it
	// and, if the message is announced, the receiver does, too. Results may change while the wire
	// measures, and the two sides need not agree: the receiver chooses the method. A message of at
	// most 4 KiB is always eager and one above Limits.EagerLimit never is; an option of the user
	// takes precedence.
	Route(peer, size int, t Transfer) Route
}

// A Transfer describes what is known about a message when Route is called.
type Transfer struct {
	Mine    []byte // this rank's buffer
	Theirs  Key    // the sender's buffer, if the receiver was given a key
	Keyed   bool   // Theirs is valid
	Crowded bool   // the receiver also awaits or transfers messages of other peers
	Both    bool   // the receiver has a long message to the sender under way
	Stream  bool   // more messages of the sender are awaited, or wait for their receives
	Alloced bool   // both buffers come from the wire's Allocator; Mine and Theirs may be unknown
}

// A Route is the choice of protocol and method for one message.
type Route struct {
	Eager  bool   // send it eagerly
	Key    bool   // if it is announced, give the receiver a key of the sender's buffer
	Method Method // if it is announced
}

// A Key gives a peer access to registered memory. Only the wire knows its layout.
type Key [4]uint64

// An RMA is a Wire that moves data between registered buffers without involving the protocol of the
// other side.
//
// A packet pushed to a peer after Put returned Pending or Done is delivered after the data of the
// put has been written.
type RMA interface {
	// Register makes buf accessible to peers until Deregister. An error means that this buffer
	// cannot be registered; the protocol then moves it in packets.
	Register(buf []byte) (Key, error)
	Deregister(Key)
	// Put writes src, registered under srcKey, to offset bytes into the peer's memory dst. Get
	// reads from there into dst. Done: the transfer is complete. Pending: it completes when the
	// wire calls Sink.Completed(token); the wire owns the local buffer until then. Busy: not
	// started; retry after Poll. An error is reported by Completed, possibly before Put or Get
	// returns Pending.
	Put(peer int, dst Key, offset int, src []byte, srcKey Key, token uint64) Started
	Get(peer int, src Key, offset int, dst []byte, dstKey Key, token uint64) Started
}

// A Notifier is an RMA that can notify the peer of the end of a transfer without a packet: with
// verbs, by the immediate data of a write.
type Notifier interface {
	// Notifies reports whether the networks of this job support it.
	Notifies() bool
	// PutNotice is Put that also delivers word to the peer's sink once the data is in place there.
	PutNotice(peer int, dst Key, offset int, src []byte, srcKey Key, token uint64, word uint32) Started
	// Notice delivers word to the peer's sink, after all packets pushed before. false means that
	// there is no room now.
	Notice(peer int, word uint32) bool
}

// Started is the result of Put and Get.
type Started uint8

const (
	Busy Started = iota
	Pending
	Done
)

// A Severer is a Wire that can abandon a live peer, because the peer violated the protocol or a
// transfer failed. From the next Poll or Idle after Sever on, the wire accesses no local buffer of
// a Put or Get with that peer and delivers nothing from it, and the peer gets an error. A Sink's
// methods may call Sever.
type Severer interface {
	Sever(peer int)
}

// A Leaver is a Wire that takes part in the goodbyes: it connects peers on demand, so that some may
// never be connected, or it can send the goodbye to all peers in one step.
type Leaver interface {
	// Leave is called once, when the device begins to close. The wire stops making connections, and
	// returns the peers to which this rank has neither a connection nor a pending one; no goodbyes
	// are exchanged with them. If all packets of this rank are pushed, the wire may deliver word to
	// the sinks of all peers by itself (Sink.Goodbye), and reports that as said. Such a goodbye
	// comes after all packets pushed before. It may come only once the last rank has called Leave;
	// then it is as fast as a packet.
	Leave(word uint64, pushed bool) (strangers []int, said bool)
}

// An Allocator is a Wire that provides memory that peers can access fastest. Such a buffer may be
// passed to Register like any other.
type Allocator interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	// Registrations returns what the wire has registered with its network; ok is false if it
	// registers nothing there.
	Registrations() (r device.Registrations, ok bool)
}

// A Method moves a message that is too large for eager.
type Method uint8

const (
	Pipeline Method = iota // packets, copied in and copied out at the same time
	Get                    // the receiver reads the sender's memory
	Put                    // the sender writes the receiver's memory
	Split                  // the receiver reads the first half while the sender writes the second
)

var methodNames = [...]string{"pipeline", "get", "put", "split"}

func (m Method) String() string { return methodNames[m] }

// ParseMethod returns the method of a name, and false for another word.
func ParseMethod(name string) (Method, bool) {
	i := slices.Index(methodNames[:], name)
	return Method(max(i, 0)), i >= 0
}
