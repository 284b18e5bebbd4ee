package shared

import "gobench/comm/schedule"

// A word describes posted data: the offset in the rank's store, the number of bytes and the kind of
// operation. Readers compare it with what they expect at no cost, so ranks that disagree on counts
// or operations get an error instead of wrong data.
//
//	bits 0..27   offset in the store, in bytes; 0 for data that lie in the entry
//	bits 28..55  length in bytes
//	bits 56..63  schedule.Kind of the operation, with byMessages
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
	if w.kind()&^byMessages != a.kind&^byMessages {
		return &OperationError{r, schedule.Kind(w.kind() &^ byMessages), schedule.Kind(a.kind &^ byMessages)}
	}
	return &schedule.LengthError{Peer: r, Got: w.bytes(), Want: bytes}
}
