package device

import "time"

// A Sharer is a Device whose ranks can map each other's memory. Collective operations in shared
// memory need it.
type Sharer interface {
	// Export returns a name for memory that Alloc returned. A peer passes this name, a few bytes,
	// to Import.
	Export(mem []byte) (name []byte, err error)
	// Import maps memory that peer has exported. The mapping remains until Close, even if the peer
	// frees the memory or dies; its content is undefined then.
	Import(peer int, name []byte) ([]byte, error)
	// Post copies src, some KiB or more, to exported or imported memory that other ranks read next,
	// by the method that is fastest for their core-to-core latency. dst must be at least as long. A
	// flag stored afterwards becomes visible after the data.
	Post(dst, src []byte)
	// Fetch copies src, some KiB or more, to dst, by the method that is fastest where another rank
	// has posted src and this rank reads dst next. dst must be at least as long,
	// and not overlap src, which may be this rank's own data.
	Fetch(dst, src []byte)
	// Gap returns the number of bytes to leave free between blocks that this rank posts in
	// succession. A reader's prefetchers run past its data and, on near cores, would fetch lines
	// that are still being written.
	Gap() int
	// Progress must be called by a rank that polls shared memory, after each (or every few
	// dozen) unsuccessful polls. It progresses messages, yields or sleeps according to the wait
	// policy of the device, and detects dead peers.
	//
	// It returns the *PeerError of a dead rank of the context (see Binder), or of peer if peer
	// has closed its device; peer may be AnySource. After an error the caller polls once more,
	// because a peer may write and then close.
	Progress(w *WaitState, context int32, peer int) error
}

// WaitState holds the state of one wait between calls of Sharer.Progress. The zero value starts a
// wait.
type WaitState struct {
	Polls int       // unsuccessful polls since the last progress
	Since time.Time // when yielding began
}

// A Binder is a Device on which the operations of a context can depend on a whole group of ranks,
// as collective operations do.
type Binder interface {
	// Bind ties a context to ranks. As soon as one of them is dead, every
	// operation in the context that is not yet matched fails with its
	// *PeerError, and so does every later one; transfers that are matched end
	// as usual. A rank that closes its device is not dead: operations fail only
	// where they need it.
	Bind(context int32, ranks []int) error
	// Unbind releases a context. It does nothing for a context that is not bound.
	Unbind(context int32)
}

// A Confiner is a Binder that knows which ranks send in a context.
type Confiner interface {
	Binder
	// Confine limits a context to messages from ranks, until Unbind: no other rank ends receives
	// from AnySource in it when it dies or closes its device. Bind does so, too.
	Confine(context int32, ranks []int) error
}

// A Registrar is a Channel that registers message buffers with its network.
type Registrar interface {
	// Registrations returns the counts of this rank. ok is false if it registers no message
	// buffers.
	Registrations() (r Registrations, ok bool)
}

// Registrations counts the message buffers that had to be registered with the network. Buffers from
// Device.Alloc are registered when they are allocated and are not counted.
type Registrations struct {
	Hits   int64 // buffers whose registration was in the cache
	Misses int64 // buffers that were registered for their message
	Pinned int64 // bytes registered now, including those of the allocator
}
