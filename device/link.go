package device

// Linker is an optional ability of a Channel of level "raw": it runs the loop of a point-to-point
// benchmark itself, below Send and Recv. Benchmarks of RDMA need it; those of messages use it where
// an option of the transport asks for perftest's way to measure, a loop outside of Go.
type Linker interface {
	// Native reports whether the loops run outside of Go, as perftest's do. If not, messages are to
	// be measured by Send and Recv, and PingPong does nothing else.
	Native() bool
	// PingPong exchanges k messages with a peer, each there and back; out and in have equal length.
	// Both ranks call it, and the one that is first begins. It does what k pairs of Send and Recv
	// (or of Recv and Send) do. Each pair is a round of stamps, which may be nil.
	PingPong(out, in []byte, peer, k int, first bool, stamps *Stamps) error
	// Link registers buffers for one-sided access (RDMA write and read) between two ranks. Both
	// call it, with buffers of one length, at least one byte: the peer writes to and reads from in,
	// this rank writes from and reads into out. No message may be under way between the two.
	Link(peer int, out, in []byte) (Link, error)
}

// A Link is a pair of buffers that a peer reaches by RDMA. Its errors are those of a Channel. None
// of its calls allocates. Stamps may be nil.
type Link interface {
	// Put writes out to the peer's memory, in rounds of so many writes, and returns once the last
	// round is in place there. The peer makes no call.
	Put(rounds, each int, stamps *Stamps) error
	// Get reads the peer's memory into out, likewise.
	Get(rounds, each int, stamps *Stamps) error
	// PutPong runs k RDMA-write ping-pongs, as ib_write_lat of perftest does. The waiting side
	// polls the last byte of in, which carries the round number; so the last byte of both buffers
	// is reserved. Both ranks call it; the one that is first begins.
	PutPong(k int, first bool, stamps *Stamps) error
	// Close deregisters the buffers. The peer must have finished its calls.
	Close()
}
