package shared

import (
	"unsafe"

	"gobench/internal/release"
)

// An entry is one cache line that a rank posts in a step.
type entry struct {
	step uint64 // the number of the step; the last word to be written
	what word   // the place and length of the data, and the operation
	data [48]byte
}

// tiny is the number of bytes of data that fit into an entry.
const tiny = len(entry{}.data)

const (
	entries = 64   // of a rank, used in turn: in 64 a root of far leaves waits less often than in 32
	control = 8192 // bytes of a board before the store: pages
	spacing = 128  // bytes between lines of different use: prefetchers fetch lines in pairs
)

// A board is the part of the arena that one rank writes and all others read. Its first line holds
// the last step that the rank has completed; the entries follow.
//
// Order of memory, which arenaModel checks without each part (docs/notes/weak-memory.md):
//
//	entry.step     the owner writes it, by a release store behind entry and store; a routine that
//	              bypasses the caches ends with SFENCE. Who loads the step that it waits for reads both.
//	completed     the owner writes it, by a release store behind its reads of all boards in that step.
//	              Who loads it may write again what was read until then.
//	invariant     entry and store of a step are read in it and in the next one, by ranks that have not
//	              completed that; the owner writes an entry again only when all have completed the step
//	              after its own, and a piece of its store when all have completed the last step in
//	              which it is read. No rank sees a step in an entry that is later than that it waits for.
type board struct {
	completed *uint64
	entries   *[entries]entry
	store     []byte
}

// newBoard returns the board in mem, which is zero: no step is posted or completed.
func newBoard(mem []byte) board {
	return board{
		completed: (*uint64)(unsafe.Pointer(&mem[0])),
		entries:   (*[entries]entry)(unsafe.Pointer(&mem[2*spacing])),
		store:     mem[control:],
	}
}

// publish makes an entry visible to the other ranks and prefetches the next one for writing,
// because its line is still in the caches of the ranks that read it some steps ago.
func (b *board) publish(n *entry, step uint64) {
	release.StoreNext(&n.step, step, unsafe.Pointer(&b.entries[(step+1)%entries]))
}
