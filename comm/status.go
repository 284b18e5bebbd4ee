package comm

import "gobench/device"

// Wildcards and special ranks.
const (
	AnySource = device.AnySource
	AnyTag    = int(device.AnyTag)
	// ProcNull is a partner that is not there: what is sent to it vanishes, and
	// what is received from it has no bytes. It makes the ranks at the border of
	// a grid like the others.
	ProcNull = -2
	// Undefined is the rank of who is not in a group, and the colour of who
	// wants no communicator.
	Undefined = -3
	// MaxTag is the greatest tag.
	MaxTag = 1<<31 - 1
)

// Status says what a completed receive or a successful probe found. After a
// send only Cancelled is of interest.
type Status struct {
	Source    int // rank of the sender in the communicator, or ProcNull
	Tag       int
	Bytes     int  // of the message as sent, even where fewer were stored
	Cancelled bool // the operation was cancelled and nothing was transferred
}

// Count is the number of elements in a message, Undefined if that is not whole.
func Count[T Type](s Status) int {
	if s.Bytes%size[T]() != 0 {
		return Undefined
	}
	return s.Bytes / size[T]()
}

// nothing is the status of what did not happen: of a null request, and of a
// persistent one that is inactive.
func nothing() Status { return Status{Source: AnySource, Tag: AnyTag} }

// nobody is the status of a receive from ProcNull.
func nobody() Status { return Status{Source: ProcNull, Tag: AnyTag} }

// status translates what the device found.
func (c *Comm) status(s device.Status) Status {
	if c.local != nil && uint(s.Source) < uint(len(c.local)) {
		s.Source = c.local[s.Source]
	}
	return Status{s.Source, int(s.Tag), s.Size, s.Cancelled}
}
