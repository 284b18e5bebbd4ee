package shared

import (
	"testing"

	"gobench/comm/schedule"
	"gobench/internal/fuzzing"
)

// For any entry of a faulty rank, the others get the expected number of bytes of its memory, or an
// error.
func FuzzEntries(t *testing.F) {
	f := fuzzing.New(t)
	const size = 4 * control
	a := &Arena{ranks: 2, polls: 1, step: 1, kind: word(schedule.Bcast)}
	for range a.ranks {
		a.boards = append(a.boards, newBoard(make([]byte, size)))
	}
	f.Add(uint64(a.word(64, 100)), uint16(100))
	f.Add(uint64(a.word(1<<27, 100)), uint16(100))
	f.Add(uint64(a.word(64, 8)), uint16(8))
	f.Add(uint64(a.word(64, 8))+1<<(2*bits), uint16(8))
	f.Fuzz(func(t *testing.T, what uint64, length uint16) {
		n, bytes := &a.boards[1].entries[a.step%entries], int(length)%size
		n.step, n.what = a.step, word(what)
		if got, err := a.posted(1, bytes); err == nil && len(got) != bytes {
			t.Errorf("%#x: %d bytes, want %d", what, len(got), bytes)
		}
	})
}
