package device

import "context"

// A Joiner is a Driver whose library belongs to a launcher of its own, as an MPI does: only ranks
// that this launcher has started can open it.
type Joiner interface {
	Driver
	// Join makes this process a rank of the launcher's job. It returns nil if the launcher has not
	// started this process. It is called once, before Open. It locks the calling goroutine to its
	// thread, which makes all calls of the channels, and Close.
	Join() (JoinedJob, error)
	// Launch returns the command line that starts n ranks of a program, for messages.
	Launch(n int, program string) string
}

// A JoinedJob is the part of a Job that a library carries. Its ranks find out themselves which of
// them share a host.
type JoinedJob interface {
	Rank() int
	Size() int
	// Exchange gives all ranks the blobs of all, as Job.Exchange does.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
	// Close ends the library once no channel is open any more. It is collective. A rank that fails
	// does not call it, and the launcher ends the others.
	Close() error
}
