package shared

import "gobench/comm/schedule"

// word says in one word what a rank has posted: where in its store, how many bytes, and in
// which operation. Who reads it compares that with what is due, at no cost: ranks that do
// not agree on counts or operations get an error instead of wrong data.
type word uint64

// bits of place and of length: more than a store has.
const bits = 28

func (a *Arena) word(at, bytes int) word {
	return word(at) | word(bytes)<<bits | a.kind<<(2*bits)
}

func (w word) at() int    { return int(w & (1<<bits - 1)) }
func (w word) bytes() int { return int(w >> bits & (1<<bits - 1)) }
func (w word) kind() word { return w >> (2 * bits) }

// OperationError says that a rank does another operation than this one.
type OperationError struct {
	Peer      int
	Got, Want schedule.Kind
}

func (e *OperationError) Error() string {
	return "the ranks do not agree on the operation: " + e.Got.String() + " and " + e.Want.String()
}

// check returns an error unless rank r has posted so many bytes in this operation.
func (a *Arena) check(r int, w word, bytes int) error {
	if w.kind() == a.kind && w.bytes() == bytes {
		return nil
	}
	return a.disagree(r, w, bytes)
}

func (a *Arena) disagree(r int, w word, bytes int) error {
	if w.kind() != a.kind {
		return &OperationError{r, schedule.Kind(w.kind()), schedule.Kind(a.kind)}
	}
	return &schedule.LengthError{Peer: r, Got: w.bytes(), Want: bytes}
}
