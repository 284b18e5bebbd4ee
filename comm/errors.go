package comm

import (
	"errors"
	"fmt"
)

// Sentinels, for errors.Is.
var (
	// ErrClosed is returned by a communicator after Close.
	ErrClosed = errors.New("communicator is closed")
	// ErrActive is returned by Start of a persistent request that is active.
	ErrActive = errors.New("persistent request is active already: wait for it first")
	// ErrNotPersistent is returned by Start of a request that is not persistent.
	ErrNotPersistent = errors.New("request cannot be started: it is not persistent")
	// ErrNoCancel is returned by Cancel of a collective operation, as in MPI.
	ErrNoCancel = errors.New("collective operations cannot be cancelled")
	// ErrContexts is returned when all contexts of the device (device.Info.Contexts) have been
	// used; each communicator uses two, an inter-communicator four.
	ErrContexts = errors.New("no context id is left for another communicator")
	// ErrOperator is returned for an operator that a window does not accumulate with: a user's,
	// or one for other elements.
	ErrOperator = errors.New("a window accumulates with predefined operators of its element type only")
	// ErrOneThread is returned by Multiple if the library of the transport does not allow it.
	ErrOneThread = errors.New("the library of the transport may be called by one thread only: use one thread of each rank, or a build of the library with support of threads")
	// ErrInter is returned by what an inter-communicator does not offer.
	ErrInter = errors.New("an inter-communicator has messages, Merge, and barrier, bcast, allgather, allreduce and alltoall, blocking and with separate buffers: merge the groups for the rest")
	// ErrNotInter is returned by Merge of a communicator of one group.
	ErrNotInter = errors.New("communicator has one group: only an inter-communicator can be merged")
	// ErrBridge is returned by NewInter on the ranks whose leader could not reach the other group.
	ErrBridge = errors.New("the leader of the group could not reach the leader of the other group")
	// ErrAttached is returned by AttachBuffer if a buffer is attached already.
	ErrAttached = errors.New("communicator has a buffer already: detach it first")
)

// An ArgumentError reports an invalid argument, found before anything was sent. The other ranks of
// a collective operation are not notified.
type ArgumentError struct {
	Op    string // operation, "bcast"
	Name  string // argument, "root"
	Value int
	Want  string // "a rank in 0..3"
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s: %s is %d, want %s", e.Op, e.Name, e.Value, e.Want)
}

// A TypeError reports a reduction operator whose element type is not that of the data.
type TypeError struct {
	Op       string // operation, "allreduce"
	Operator string // "sum of float64"
	Data     string // type of the data, "int32"
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s: the operator is %s, but the data are %s", e.Op, e.Operator, e.Data)
}

// A BufferError reports that the attached buffer has no room for a buffered send.
type BufferError struct {
	Need int // bytes of the message
	Room int // bytes of the whole buffer, 0 if none is attached
}

func (e *BufferError) Error() string {
	if e.Room == 0 {
		return fmt.Sprintf("bsend: no buffer is attached for a message of %d bytes", e.Need)
	}
	return fmt.Sprintf("bsend: a message of %d bytes finds no room in the attached buffer of %d bytes, which holds messages under way", e.Need, e.Room)
}

// A RequestError reports the first failed request of several. After WaitAll all of them have
// completed or failed.
type RequestError struct {
	Index int
	Err   error
}

func (e *RequestError) Error() string { return fmt.Sprintf("request %d: %v", e.Index, e.Err) }
func (e *RequestError) Unwrap() error { return e.Err }
