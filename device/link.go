package device

// Linker is an optional ability of a Channel of level "raw": the wire writes to and reads from memory of a peer without the
// peer's program (RDMA).
type Linker interface {
	// Link makes memory of a pair of ranks reachable. Both call it, with buffers of one length, at least one byte: the
	// peer writes to and reads from in, this rank writes from and reads into out. No message may be under
	// way between them.
	Link(peer int, out, in []byte) (Link, error)
}

// Link is such memory. Its errors are those of a Channel. None of its calls allocates. Stamps may be nil.
type Link interface {
	// Put writes out to the peer's memory, a round of so many writes after the other, and returns once the last round
	// is in place there. The peer makes no call.
	Put(rounds, each int, stamps *Stamps) error
	// Get reads the peer's memory into out, likewise.
	Get(rounds, each int, stamps *Stamps) error
	// PutPong writes k times there and back, as ib_write_lat of perftest does: whoever waits looks at the last byte of in, which
	// counts the rounds; so the last bytes of both buffers belong to the link. Both ranks call it; the one that
	// is first begins.
	PutPong(k int, first bool, stamps *Stamps) error
	// Close ends it. The peer must be through with it.
	Close()
}
