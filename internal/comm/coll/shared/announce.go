package shared

import (
	"sync/atomic"

	"gobench/comm/schedule"
)

// byMessages is set in the kind of a word by ranks that run the operation by messages.
const byMessages word = 1 << 7

// Announce is needed only if ranks may choose different algorithms for one operation: the choice
// depends on the arguments, on which ranks agree unless the program is wrong.
//
// Announce posts an entry that this rank runs the operation by messages, and returns when all ranks
// have posted the same. A rank with other arguments may have chosen an algorithm in shared memory;
// without the entries both would wait forever. With them, one rank reads the other's entry and gets
// an error, and its exit ends the wait of the other.
func Announce(a *Arena, c *Call) error {
	a.kind |= byMessages
	bytes := min(announced(c.Shape), 1<<bits-1)
	n, err := a.entry()
	if err != nil {
		return err
	}
	n.what = a.word(0, bytes)
	a.boards[a.rank].publish(n, a.step)
	a.prefetch()
	w := a.waits()
	for missing, polls := true, 0; missing; polls++ {
		missing = false
		// Every iteration reads all entries, because a leaf in shared memory may post none.
		for i := 1; i < a.ranks; i++ {
			r := a.after(i)
			n := &a.boards[r].entries[a.step%entries]
			if atomic.LoadUint64(&n.step) == a.step {
				if err := a.check(r, n.what, bytes); err != nil {
					return err
				}
				continue
			}
			missing = true
			if polls < plainPolls*a.polls {
				continue
			}
			// A leaf may post its entry and end before the call of Progress, so the entry is read
			// once more.
			err := a.sharer.Progress(w, a.context, a.deviceRank(r))
			if err != nil && atomic.LoadUint64(&n.step) != a.step {
				return err
			}
		}
	}
	a.next()
	return nil
}

// announced returns the number of bytes that all ranks must agree on, 0 where each knows its own
// only.
func announced(s *schedule.Shape) int {
	switch {
	case s.Uniform():
		return s.Bytes
	case s.Kind == schedule.Alltoall:
		return 0
	}
	return s.Total()
}
