package device

import "context"

// A Joiner is a Driver whose library has its own launcher, as an MPI library has: only ranks
// started by this launcher can open it.
type Joiner interface {
	Driver
	// Join makes this process a rank of the launcher's job. It returns nil if the launcher has not
	// started this process. It is called once, before Open. It locks the calling goroutine to its
	// thread; only this thread may call the channels and Close.
	Join() (JoinedJob, error)
	// Launch returns a command line that starts n ranks of a program, to be shown in messages.
	Launch(n int, program string) string
}

// A JoinedJob is the part of a Job that the library implements. Ranks determine themselves which of
// them share a host.
type JoinedJob interface {
	Rank() int
	Size() int
	// Exchange is Job.Exchange.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
	// Close finalises the library after all channels are closed. It is collective. A rank that has
	// failed does not call it; the launcher then terminates the others.
	Close() error
}
