package schedule

import "slices"

// A Shape holds everything that the program of one rank depends on. Sizes are in bytes.
//
//	               Send buffer                Recv buffer
//	bcast          -                          the vector, in at the root, out elsewhere
//	scatter        all blocks, at the root    own block
//	gather         own block                  all blocks, at the root
//	allgather      own block                  all blocks
//	alltoall       a block for each rank      a block from each rank
//	reduce         the vector                 the result, at the root
//	allreduce      the vector                 the result
//	reduce_scatter all blocks                 own block of the result
//	scan, exscan   the vector                 the result (exscan: untouched on rank 0)
//
// The forms of allgather and alltoall for neighbours have a block for each target and source.
//
// In place (MPI_IN_PLACE) there is no Send buffer: its data are in Recv, at the
// place that MPI defines. For scatter in place, the root's own block stays
// in the Send buffer and the root has no Recv buffer. A buffer that is not significant on
// a rank has length 0.
type Shape struct {
	Kind        Kind
	Ranks, Rank int
	Root        int
	Bytes       int  // of the vector, or of one block where all are equal
	Elem        int  // bytes of one element, 1 or more; vectors are cut between elements only
	InPlace     bool // on this rank
	Commutative bool // the operator

	// SendBlocks and RecvBlocks are set if blocks are unequal or not contiguous (the vector
	// forms), with one entry for each rank; otherwise both are nil and
	// the blocks of Bytes are contiguous. Trees forward the blocks of other ranks, so
	// lengths are needed on every rank, as in MPJ; offsets are used
	// only on ranks that have the buffer.
	//
	// scatter, reduce_scatter: SendBlocks; gather, allgather: RecvBlocks; alltoall: both.
	// Neighbourhood operations have both, with an entry for each target and source, of
	// neighbor_allgather one for the own block.
	SendBlocks, RecvBlocks []Block

	// Sources and Targets hold the ranks from which and to which a neighbourhood operation moves
	// blocks, on this rank. The k-th block for a rank is that rank's k-th block from this one.
	Sources, Targets []int

	// Hosts holds the number of each rank's host, numbered from 0 in the order of their lowest
	// ranks; it is nil if all ranks are on one host. It is the same on all ranks.
	Hosts []int
}

// Block is a part of a buffer, in bytes.
type Block struct{ Off, Len int }

// Uniform reports whether all blocks are equal and side by side.
func (s *Shape) Uniform() bool { return s.SendBlocks == nil && s.RecvBlocks == nil }

// Len returns the length of the block of a rank: the block sent to it in scatter and
// reduce_scatter, or by it in gather and allgather.
func (s *Shape) Len(rank int) int {
	switch {
	case s.SendBlocks != nil:
		return s.SendBlocks[rank].Len
	case s.RecvBlocks != nil:
		return s.RecvBlocks[rank].Len
	}
	return s.Bytes
}

// Total returns the length of all blocks together, or of the vector.
func (s *Shape) Total() int {
	if !s.Kind.Blocked() {
		return s.Bytes
	}
	n := 0
	for rank := range s.Ranks {
		n += s.Len(rank)
	}
	return n
}

// Same reports whether two shapes have the same programs.
func (s *Shape) Same(t *Shape) bool {
	return s.Kind == t.Kind && s.Ranks == t.Ranks && s.Rank == t.Rank && s.Root == t.Root &&
		s.Bytes == t.Bytes && s.Elem == t.Elem && s.InPlace == t.InPlace && s.Commutative == t.Commutative &&
		slices.Equal(s.SendBlocks, t.SendBlocks) && slices.Equal(s.RecvBlocks, t.RecvBlocks) && slices.Equal(s.Hosts, t.Hosts) &&
		slices.Equal(s.Sources, t.Sources) && slices.Equal(s.Targets, t.Targets)
}

// Clone returns a deep copy.
func (s Shape) Clone() Shape {
	s.SendBlocks, s.RecvBlocks = slices.Clone(s.SendBlocks), slices.Clone(s.RecvBlocks)
	s.Hosts, s.Sources, s.Targets = slices.Clone(s.Hosts), slices.Clone(s.Sources), slices.Clone(s.Targets)
	return s
}

// SendLen returns the length of the caller's Send buffer on this rank.
func (s *Shape) SendLen() int {
	switch {
	case s.Kind == Barrier || s.Kind == Bcast, s.Kind == Scatter && s.Rank != s.Root:
		return 0
	case s.InPlace && s.Kind != Scatter:
		return 0
	case s.Kind == Gather || s.Kind == Allgather:
		return s.Len(s.Rank)
	case s.Kind == NeighborAllgather:
		return extent(s.SendBlocks, 1, s.Bytes)
	case s.Kind == NeighborAlltoall:
		return extent(s.SendBlocks, len(s.Targets), s.Bytes)
	case s.Kind.Blocked():
		return extent(s.SendBlocks, s.Ranks, s.Bytes)
	}
	return s.Bytes
}

// RecvLen returns the length of the caller's Recv buffer on this rank.
func (s *Shape) RecvLen() int {
	switch {
	case s.Kind == Barrier, (s.Kind == Gather || s.Kind == Reduce) && s.Rank != s.Root:
		return 0
	case s.Kind == Scatter && s.InPlace:
		return 0
	case s.Kind == ReduceScatter && s.InPlace:
		return s.Total()
	case s.Kind == Scatter || s.Kind == ReduceScatter:
		return s.Len(s.Rank)
	case s.Kind.Neighbors():
		return extent(s.RecvBlocks, len(s.Sources), s.Bytes)
	case s.Kind.Blocked():
		return extent(s.RecvBlocks, s.Ranks, s.Bytes)
	}
	return s.Bytes
}

// extent returns the length of a buffer that holds all blocks.
func extent(blocks []Block, number, bytes int) int {
	if blocks == nil {
		return number * bytes
	}
	n := 0
	for _, b := range blocks {
		n = max(n, b.Off+b.Len)
	}
	return n
}
