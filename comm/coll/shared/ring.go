package shared

import "gobench/comm/schedule"

// ring is a part of a rank's store that is filled from front to end, again and again.
// It is divided in pieces; a piece is filled anew when nobody reads it any more, so that
// this is looked at once in a piece, not once for all data.
type ring struct {
	base  int            // in the store
	piece int            // bytes
	at    int            // from base: what follows is to be used next
	used  [pieces]uint64 // the last step in which each piece is read
}

const (
	pieces = 8
	line   = 64 // data begins at the begin of a cache line
)

// Two rings, because short data must not wander through all of a large ring: it
// would be in nobody's cache when its turn comes again. Measured: a bcast of
// 1 KiB takes 1.6 times as long from a ring of 512 KiB as from one of 16 KiB.
const (
	shortPiece = 4 << 10
	longPiece  = 64 << 10
	leastPiece = 4 << 10
	mostMemory = 16 << 20 // of all ranks: many make do with shorter pieces
)

func rings(ranks int) (short, long ring) {
	piece := longPiece
	for piece > leastPiece && piece*pieces*ranks > mostMemory {
		piece /= 2
	}
	short.piece = min(shortPiece, piece)
	long.piece = piece
	long.base = short.bytes()
	return short, long
}

// Holds reports whether a piece of store has room for an element, or, where an operation
// deals blocks to all ranks, for a line or an element for each.
func Holds(s *schedule.Shape) bool {
	_, long := rings(s.Ranks)
	switch s.Kind {
	case schedule.Scatter, schedule.Alltoall, schedule.ReduceScatter:
		return s.Ranks*max(line, s.Elem) <= long.piece
	}
	return s.Elem <= long.piece
}

func (r *ring) bytes() int { return r.piece * pieces }

// room is so many bytes of this rank's store, at most a long piece, free to be filled,
// and where they lie. Others read them in this step, or as much later as they lag behind.
func (a *Arena) room(bytes int) ([]byte, int, error) {
	r := &a.short
	if bytes > r.piece {
		r = &a.long
	}
	i := r.at / r.piece
	if r.at+bytes > (i+1)*r.piece {
		i = (i + 1) % pieces
		r.at = i * r.piece
	}
	if r.at == i*r.piece {
		if err := a.passed(r.used[i]); err != nil {
			return nil, 0, err
		}
	}
	r.used[i] = a.step + a.lag
	at := r.base + r.at
	r.at = (r.at + max(bytes, 1) + line - 1) / line * line % r.bytes()
	return a.boards[a.rank].store[at : at+bytes : at+bytes], at, nil
}
