package bench

// Stream identifies data for Ops that look after their buffers themselves: what
// Rank sends as its Slot-th block.
type Stream struct{ Rank, Slot int }

// Fill writes the data of an iteration into b.
func (s Stream) Fill(b []byte, iteration uint64) { fill(b, s.inner().seed(iteration), 0) }

// Spoil makes every byte of b differ from that data.
func (s Stream) Spoil(b []byte, iteration uint64) { fill(b, s.inner().seed(iteration), ^uint64(0)) }

// Check returns the offset of the first byte of b that differs from that data,
// and what it should be; -1 if all is right.
func (s Stream) Check(b []byte, iteration uint64) (at int, want byte) {
	return mismatch(b, s.inner().seed(iteration))
}

func (s Stream) inner() stream { return stream{s.Rank, s.Slot} }
