package shared

import (
	"unsafe"

	"gobench/internal/release"
)

// A note is one cache line that a rank posts in a step.
type note struct {
	step uint64 // the number of the step; the last word to be written
	what word   // the place and length of the data, and the operation
	data [48]byte
}

// tiny is the number of bytes of data that fit into a note.
const tiny = len(note{}.data)

const (
	notes   = 64   // of a rank, used in turn: in 64 a root of far leaves waits less often than in 32
	control = 8192 // bytes of a board before the store: pages
	spacing = 128  // bytes between lines of different use: prefetchers fetch lines in pairs
)

// A board is the part of the arena that one rank writes and all others read. Its first line holds
// the last step that the rank has completed; the notes follow.
type board struct {
	completed *uint64
	notes     *[notes]note
	store     []byte
}

func newBoard(mem []byte) board {
	return board{
		completed: (*uint64)(unsafe.Pointer(&mem[0])),
		notes:     (*[notes]note)(unsafe.Pointer(&mem[2*spacing])),
		store:     mem[control:],
	}
}

// publish makes a note visible to the other ranks and prefetches the next one for writing, because
// its line is still in the caches of the ranks that read it some steps ago.
func (b *board) publish(n *note, step uint64) {
	release.StoreNext(&n.step, step, unsafe.Pointer(&b.notes[(step+1)%notes]))
}
