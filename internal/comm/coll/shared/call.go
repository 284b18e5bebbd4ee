package shared

import (
	"sync/atomic"

	"gobench/comm/schedule"
)

// A Call is a schedule.Call.
type Call schedule.Call

// A Func runs a collective operation in an arena. It blocks, progresses messages while it waits,
// and returns a *device.PeerError when a rank of the communicator dies.
type Func func(a *Arena, c *Call) error

// input returns this rank's contribution, which in place is in Recv.
func (c *Call) input() []byte {
	if c.Shape.InPlace {
		return c.Recv
	}
	return c.Send
}

// length returns the length of a rank's block in bytes.
func (c *Call) length(r int) int { return c.Shape.Len(r) }

// longest returns the length of the longest block.
func (c *Call) longest() int {
	if c.Shape.Uniform() {
		return c.Shape.Bytes
	}
	longest := 0
	for r := range c.Shape.Ranks {
		longest = max(longest, c.Shape.Len(r))
	}
	return longest
}

// sendAt and recvAt return the offset of a rank's block in a buffer with all blocks.
func (c *Call) sendAt(r int) int {
	if b := c.Shape.SendBlocks; b != nil {
		return b[r].Off
	}
	return r * c.Shape.Bytes
}

// recvAt returns the offset of the block of a rank in the Recv buffer.
func (c *Call) recvAt(r int) int {
	if b := c.Shape.RecvBlocks; b != nil {
		return b[r].Off
	}
	return r * c.Shape.Bytes
}

// sends and receives return the length of the block for, and from, a rank. They differ in an
// Alltoall with unequal blocks alone.
func (c *Call) sends(r int) int {
	if b := c.Shape.SendBlocks; b != nil {
		return b[r].Len
	}
	return c.Shape.Len(r)
}

func (c *Call) receives(r int) int {
	if b := c.Shape.RecvBlocks; b != nil {
		return b[r].Len
	}
	return c.Shape.Len(r)
}

// part returns the number of bytes of a block that are moved in the step at off.
func part(length, off, step int) int { return max(0, min(step, length-off)) }

// Do runs an operation with f. After an error the ranks may be in different steps, so every later
// operation returns the same error.
func (a *Arena) Do(f Func, c *schedule.Call) error {
	if a.failed != nil {
		return a.failed
	}
	a.kind = word(c.Shape.Kind)
	a.failed = f(a, (*Call)(c))
	return a.failed
}

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
