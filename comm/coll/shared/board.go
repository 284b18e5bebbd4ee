package shared

import (
	"sync/atomic"
	"unsafe"

	"gobench/internal/release"
)

// note is what a rank posts in a step: one cache line.
type note struct {
	step uint64 // that it belongs to; the last word to be written
	at   uint64 // of longer data, in the store of the rank
	data [48]byte
}

// tiny is the most bytes of data that fit into a note.
const tiny = len(note{}.data)

const (
	notes   = 32   // of a rank, used in turn
	pieces  = 8    // of a rank's store, used in turn
	page    = 4096 //
	control = page // bytes of a board before the store
	spacing = 128  // bytes between lines of different use: prefetchers fetch lines in pairs
)

// board is the memory of one rank as this rank sees it. The line "past" is the last
// step that the rank is done with; the notes follow.
type board struct {
	past  *uint64
	notes *[notes]note
	store []byte
}

func newBoard(mem []byte) board {
	return board{
		past:  (*uint64)(unsafe.Pointer(&mem[0])),
		notes: (*[notes]note)(unsafe.Pointer(&mem[2*spacing])),
		store: mem[control:],
	}
}

// posted returns the note of a step, nil if it is not there yet.
func (b *board) posted(step uint64) *note {
	n := &b.notes[step%notes]
	if atomic.LoadUint64(&n.step) != step {
		return nil
	}
	return n
}

// publish makes a note that was filled in visible.
func (n *note) publish(step uint64) { release.Store(&n.step, step) }
