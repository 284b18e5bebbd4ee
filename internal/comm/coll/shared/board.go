package shared

import (
	"unsafe"

	"gobench/comm/schedule"
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

// A word describes posted data: the offset in the rank's store, the number of bytes and the kind of
// operation. Readers compare it with what they expect at no cost, so ranks that disagree on counts
// or operations get an error instead of wrong data.
//
//	bits 0..27   offset in the store, in bytes; 0 for data that lie in the entry
//	bits 28..55  length in bytes
//	bits 56..63  schedule.Kind of the operation, with byMessages and unequal
type word uint64

// bits is the width of the offset and of the length, sufficient for a store.
const bits = 28

// word returns the description of data at an offset of this rank's store.
func (a *Arena) word(at, bytes int) word {
	return word(at) | word(bytes)<<bits | a.kind<<(2*bits)
}

// at, bytes and kind return the fields. They come from another rank: check and data compare them
// before they are used.
func (w word) at() int    { return int(w & (1<<bits - 1)) }
func (w word) bytes() int { return int(w >> bits & (1<<bits - 1)) }
func (w word) kind() word { return w >> (2 * bits) }

// An OperationError reports that a rank has called a different operation.
type OperationError struct {
	Peer      int
	Got, Want schedule.Kind
}

// Error names both operations, the other rank's first.
func (e *OperationError) Error() string {
	return "the ranks do not agree on the operation: " + e.Got.String() + " and " + e.Want.String()
}

// check returns an error unless rank r has posted the given number of bytes in this operation.
func (a *Arena) check(r int, w word, bytes int) error {
	if w.kind() == a.kind && w.bytes() == bytes {
		return nil
	}
	return a.disagree(r, w, bytes)
}

// disagree returns the error for a word that check refuses: kinds that differ explain lengths that
// differ.
func (a *Arena) disagree(r int, w word, bytes int) error {
	const marks = byMessages | unequal
	if w.kind()&^marks != a.kind&^marks {
		return &OperationError{r, schedule.Kind(w.kind() &^ marks), schedule.Kind(a.kind &^ marks)}
	}
	return &schedule.LengthError{Peer: r, Got: w.bytes(), Want: bytes}
}
