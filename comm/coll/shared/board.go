package shared

import (
	"unsafe"

	"gobench/internal/release"
)

// note is what a rank posts in a step: one cache line.
type note struct {
	step uint64 // that it belongs to; the last word to be written
	what word   // its data, and the operation
	data [48]byte
}

// tiny is the most bytes of data that fit into a note.
const tiny = len(note{}.data)

const (
	notes   = 32   // of a rank, used in turn
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

// publish makes a note that was filled in visible, and asks for the next one: its
// line is in the caches of those who read it some steps ago, and would have to
// be fetched from them when it is written.
func (b *board) publish(n *note, step uint64) {
	release.Store(&n.step, step)
	release.Own(unsafe.Pointer(&b.notes[(step+1)%notes]))
}
