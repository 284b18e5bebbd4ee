package device

// PingPonger is an optional ability of a Channel of level "raw" whose library has a loop of its own that is
// not Go, so that the cost of Go can be told.
type PingPonger interface {
	// PingPong exchanges k messages with a peer, each there and back, out and in being of equal
	// length. The one that is first begins. It does what k times Send and Recv (or Recv and Send) does; each
	// such pair is a round of stamps, which may be nil.
	PingPong(out, in []byte, peer, k int, first bool, stamps *Stamps) error
}
