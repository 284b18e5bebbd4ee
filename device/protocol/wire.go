// Package protocol turns a Wire, which can only carry packets, into a
// device.Device: tag matching, eager and rendezvous transfers, flow control,
// cancellation and failure are written here once, for every transport.
//
// The protocols are those of the thesis' ibvdev and ugnidev and of the papers'
// iodev; a transport configures them by what its wire suggests.
package protocol

// Wire is the bare transport of one rank: small packets to and from every other
// rank of the job, reliable and in order for each pair. It knows nothing of
// matching. All calls come from the goroutine that owns the device. Push may be
// called from within a Sink's methods, nothing else may.
//
// A transport that can also move memory without packets implements RMA.
type Wire interface {
	// Push hands one packet to peer. It takes the packet whole or not at all:
	// false means that there is no room now, try again after Poll. When it returns, data may be
	// reused. len(data) is at most Limits().Packet. It never blocks and never allocates in
	// steady state. Packets to a peer that was reported Failed are dropped
	// (true).
	Push(peer int, h Header, data []byte) bool

	// Poll delivers packets that have arrived, in order for each peer, and moves
	// on whatever the wire has queued. It reports whether anything happened. from
	// is a hint: the peer from which the caller waits for a packet, or
	// device.AnySource; other peers must still be served within a bounded
	// number of calls.
	Poll(from int, sink Sink) bool

	// Idle is called about every 10 ms while the caller waits, and at least once in some
	// thousand of its calls if these are 10 ms apart. Here the wire looks for peers that have
	// died and reports them to sink.
	Idle(sink Sink)

	// Limits is constant.
	Limits() Limits

	// Close gives everything back. The protocol has said goodbye to all living peers before.
	Close() error
}

// Direct is the optional ability to look at the next packet of one peer where it lies.
// It is the shortest way for a rank that waits for that peer: one tight loop, in
// which one branch goes wrong when the packet comes, and no call back.
type Direct interface {
	// Look looks at most turns times for the next packet of peer from. The
	// packet stays the next one, and data valid, until Done. Look may miss what Poll
	// finds, never the other way round.
	Look(from, turns int) (h Header, data []byte, ok bool)
	// Done takes the packet that Look has found off the wire.
	Done(from int)
	// Serve does for all peers but from what Poll does, once, and answers like Poll. It is called now and then where
	// Look has found every packet that was wanted.
	Serve(from int, sink Sink) bool
}

// Sink is what a Wire calls from Poll and Idle.
type Sink interface {
	// Packet delivers one packet. data is valid only during the call.
	Packet(src int, h Header, data []byte)
	// Completed reports the end of a Put or Get that was Pending.
	Completed(token uint64, err error)
	// Failed reports a dead peer, once; nothing from it is delivered later.
	Failed(peer int, cause string)
}

// Lingerer is the optional ability to wait a little for whatever comes next, for wires to which every Poll
// is a dear call. The next Poll delivers it.
type Lingerer interface {
	// Linger looks at most turns times for a packet of any peer or the end of a transfer.
	Linger(turns int)
}

// Limits states what a wire can do and how it is best used.
type Limits struct {
	Packet        int   // most data bytes of one packet; at least 256
	Looks         int   // of one Direct.Look, where a call is dear; 0: a few
	Fragment      int   // best data bytes of a packet in a stream of packets, so that both sides copy at the same time
	EagerLimit    int   // suggested largest message sent eagerly, in bytes
	MemoryPerPair int64 // bytes of the wire's own buffers for one pair of ranks, both directions

	// Methods lists what the wire's RMA is good for. Pipeline needs no RMA
	// and is always possible.
	Methods []Method
	// Method suggests how a message of size bytes, larger than the eager
	// limit, is moved. nil means Pipeline always.
	Method func(size int) Method
	// FarEagerLimit and FarMethod take the place of EagerLimit and Method for
	// peers that a Ranger calls far.
	FarEagerLimit int
	FarMethod     func(size int) Method
	// CrowdMethod takes the place of Method for a message that is received while
	// messages of other peers are awaited or under way, as in an exchange of all with all:
	// then no processor is idle, and what counts is how much there is to copy. nil
	// means Method.
	CrowdMethod func(size int) Method
	Move        int // longest put or get of a Mover, in bytes; 0: any
	// Copy names how RMA moves ordinary memory, for the record: "cma", "direct", "stream".
	Copy string
	// Goroutines says that the ranks share one address space.
	Goroutines bool
	// Quick is device.Info.Quick.
	Quick bool
}

// Key lets a peer reach registered memory. The wire alone knows its layout.
type Key [4]uint64

// RMA is the optional ability to move data between registered buffers without
// the other side's protocol.
//
// Order: a packet pushed to a peer after Put returned Pending or Done is
// delivered there after the put's data is in place.
type RMA interface {
	// Register makes buf reachable for peers until Deregister. An error means that
	// this buffer cannot be registered; the protocol then moves it in packets.
	Register(buf []byte) (Key, error)
	Deregister(Key)
	// Put writes src, registered under srcKey, to offset bytes into the peer's memory dst. Get reads
	// from there into dst. Both have ended when they return Done, or will end by
	// Sink.Completed with token when they return Pending, until which the local
	// buffer is the wire's; Busy means that nothing was started, try again after Poll.
	// An error is reported by Completed, also before Put or Get returns Pending.
	Put(peer int, dst Key, offset int, src []byte, srcKey Key, token uint64) Started
	Get(peer int, src Key, offset int, dst []byte, dstKey Key, token uint64) Started
}

// Notifier is the optional ability of an RMA wire to tell a peer that a transfer has ended without a
// packet: with verbs, by the immediate data of a write.
type Notifier interface {
	// Notifies reports whether the networks of this job can.
	Notifies() bool
	// PutNotice is Put, and then hands word to the peer's sink, which is a Noticed, once the data is in place there.
	PutNotice(peer int, dst Key, offset int, src []byte, srcKey Key, token uint64, word uint32) Started
	// Notice hands word to the peer's sink, after all packets pushed before. false means
	// that there is no room now.
	Notice(peer int, word uint32) bool
}

// Noticed is what a Sink offers to a Notifier.
type Noticed interface {
	Notice(src int, word uint32)
}

// Started is the answer of Put and Get.
type Started uint8

const (
	Busy Started = iota
	Pending
	Done
)

// Severer is the optional ability to give a peer up that the wire holds to be
// alive, because it broke the protocol or a transfer failed. After Sever, from
// the next Poll or Idle on, no local buffer of a Put or Get with that peer is
// touched, nothing is delivered from it, and the peer is made to notice. Sever may be called from within a
// Sink's methods.
type Severer interface {
	Sever(peer int)
}

// Ranger is an optional ability of a wire that reaches some peers much more slowly
// by packets than others. The answer may change as the wire learns.
type Ranger interface {
	Far(peer int) bool
}

// Chooser is an optional ability of an RMA wire whose memory is not all alike.
type Chooser interface {
	// Choose suggests how to move a message when one side's buffer is memory
	// that can be reached better than most. mine is this rank's buffer; theirs
	// is the sender's key, for a receiver that was given one (keyed). A sender
	// asks as well, to learn whether to send a key. ok is false where
	// Limits.Method is to decide by the size.
	Choose(mine []byte, theirs Key, keyed bool) (m Method, ok bool)
}

// Allocator is the optional ability to provide memory that peers can reach
// best. Such a buffer may be passed to Register like any other.
type Allocator interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
}

// Method is a way to move a message too large for eager.
type Method uint8

const (
	Pipeline Method = iota // packets, copied in and copied out at the same time
	Get                    // the receiver reads the sender's memory
	Put                    // the sender writes the receiver's memory
	Split                  // the receiver reads the first half while the sender writes the second
)

var methodNames = [...]string{"pipeline", "get", "put", "split"}

func (m Method) String() string { return methodNames[m] }
