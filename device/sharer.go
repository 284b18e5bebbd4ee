package device

import "time"

// A Sharer is a Device whose ranks can map each other's memory. Collective operations in shared
// memory need it.
type Sharer interface {
	// Export returns a name of memory that Alloc returned, with which peers can map it. The name is
	// a few bytes long and is sent to them.
	Export(mem []byte) (name []byte, err error)
	// Import maps memory that peer has exported. It stays mapped until Close, even if the peer
	// frees it or dies; its content is undefined then.
	Import(peer int, name []byte) ([]byte, error)
	// Post copies src, some KiB or more, to memory that this rank has exported or imported and
	// others read next, in the way that is fastest at their distance. dst is at least as long. A
	// flag that is stored afterwards is seen after the data.
	Post(dst, src []byte)
	// Gap returns how many bytes are to be left free between data that this rank posts one after
	// the other. The prefetchers of a reader run ahead of what it reads, and with near cores take
	// lines that are just being written.
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
