package sim

// heard is the set of ranks of which a rank knows that they have begun: itself, and
// those that the senders of its messages knew of. The completion of a send adds nothing, because
// sends may be buffered.
type heard []uint64

func self(rank, ranks int) heard {
	h := make(heard, (ranks+63)/64)
	h[rank/64] |= 1 << (rank % 64)
	return h
}

func (h heard) add(other heard) {
	for i := range other {
		h[i] |= other[i]
	}
}

// missing returns the first rank that is not in the set, or -1.
func (h heard) missing(ranks int) int {
	for rank := range ranks {
		if h[rank/64]>>(rank%64)&1 == 0 {
			return rank
		}
	}
	return -1
}
