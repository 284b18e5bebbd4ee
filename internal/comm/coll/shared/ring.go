package shared

import (
	"unsafe"

	"gobench/comm/schedule"
	"gobench/internal/release"
)

// A ring is a circular buffer in a rank's store. It is divided in pieces, so that the rank checks
// once for each piece, not for each datum, that no rank reads its old content any more.
//
// Data never cross the end of a piece: what does not fit begins the next one. When the rank enters
// a piece again it waits until all ranks have completed used of it, the last step in which what it
// held is read; steps between are not waited for. Blocks are at least spacing apart, and the
// transport's gap, so that the prefetcher of a reader does not take lines that the writer still
// fills.
type ring struct {
	base  int            // offset in the store
	piece int            // bytes
	at    int            // offset from base of the next free byte
	used  [pieces]uint64 // the last step in which each piece is read
}

const (
	pieces = 8
	line   = 64 // alignment of data: a cache line
)

// Overwriting a line that is still in the caches of its readers costs more than one that is in the
// last-level cache only. So the ring is longer than the second caches of two cores together.
// Measured: 64 KiB through a ring of 2 MiB take a third to a half of the time through 512 KiB, and
// 8 MiB are slower again (docs/notes/smem.md). With many ranks, and so less memory for each, short
// data use a small ring of their own, which stays in the caches: a bcast of 1 KiB takes 1.6 times
// as long from a ring of 512 KiB as from one of 16 KiB.
const (
	shortPiece = 4 << 10
	longPiece  = 256 << 10
	minPiece   = 4 << 10
	maxMemory  = 16 << 20 // of all ranks; many ranks get shorter pieces
)

// rings returns the two rings of each rank of a communicator: a piece is halved until all stores
// together take at most maxMemory.
func rings(ranks int) (short, long ring) {
	piece := longPiece
	for piece > minPiece && piece*pieces*ranks > maxMemory {
		piece /= 2
	}
	if piece < longPiece {
		short.piece = shortPiece
	}
	long.piece = piece
	long.base = short.bytes()
	return short, long
}

// Holds reports whether a piece of store has room for an element, or, for operations that send
// blocks to all ranks, for a line or an element of each.
func Holds(s *schedule.Shape) bool {
	_, long := rings(s.Ranks)
	switch s.Kind {
	case schedule.Scatter, schedule.Alltoall, schedule.ReduceScatter:
		return s.Ranks*max(line, s.Elem) <= long.piece
	}
	return s.Elem <= long.piece
}

// claimLargest is the size in bytes up to which a rank that writes to its ring asks for the lines
// that it will write next: they were read by others when the ring went around. Measured: it halves
// the time of most operations with a root between far cores, and changes that of near ones by a
// tenth at most; 1 KiB takes longer (docs/notes/smem.md).
const claimLargest = 512

// bytes returns the size of the ring; a ring without pieces is not used.
func (r *ring) bytes() int { return r.piece * pieces }

// room returns room of the given size (1 byte to a long piece) in this rank's store, and its
// offset. They may be written now, and are read in this step or, with a.delay, in the next.
func (a *Arena) room(bytes int) ([]byte, int, error) {
	r := &a.long
	if bytes <= a.short.piece {
		r = &a.short
	}
	i := r.at / r.piece
	if r.at+bytes > (i+1)*r.piece {
		i = (i + 1) % pieces
		r.at = i * r.piece
	}
	if r.at == i*r.piece {
		if err := a.waitCompleted(r.used[i]); err != nil {
			return nil, 0, err
		}
	}
	r.used[i] = a.step + a.delay
	at := r.base + r.at
	r.at = min((r.at+bytes+a.sharer.Gap()+spacing-1)/spacing*spacing, (i+1)*r.piece) % r.bytes()
	store := a.boards[a.rank].store
	if bytes <= claimLargest {
		release.Claim(unsafe.Pointer(&store[r.base+r.at]), bytes)
	}
	return store[at : at+bytes : at+bytes], at, nil
}
