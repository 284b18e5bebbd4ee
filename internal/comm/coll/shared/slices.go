package shared

import (
	"encoding/binary"

	"gobench/comm/schedule"
)

// exscan leaves out the rank itself.
const exscan = schedule.Exscan

// slice returns the range of n bytes that a rank combines.
func (a *Arena) slice(r, n, elem int) (from, to int) {
	elements := n / elem
	return r * elements / a.ranks * elem, (r + 1) * elements / a.ranks * elem
}

// AllreduceSlices copies a chunk in at all ranks; each combines its slice of the chunk and posts
// the result; all copy the slices out. The three stages are pipelined over three chunks, so that
// the data which a rank needs in a step was posted in the step before.
func AllreduceSlices(a *Arena, c *Call) error { return a.reduceSlices(c, true) }

// ReduceSlices is AllreduceSlices in which only the root copies the slices out.
func ReduceSlices(a *Arena, c *Call) error { return a.reduceSlices(c, a.rank == c.Shape.Root) }

// reduceSlices runs the three stages; the last two steps only combine and copy. n.what describes
// the chunk of this step, and the data of the entry the combined slice of the step before.
func (a *Arena) reduceSlices(c *Call, receives bool) error {
	own, elem := c.Send, c.Shape.Elem
	if c.Shape.InPlace {
		own = c.Recv
	}
	step := max(min(max(minSlices, len(own)/overlap), a.long.piece)/elem, 1) * elem
	a.delay = 1
	for off := 0; off < len(own)+2*step; off += step {
		n, err := a.entry()
		if err != nil {
			return err
		}
		n.what = a.word(0, 0)
		if bytes := part(len(own), off, step); bytes > 0 {
			room, at, err := a.room(bytes)
			if err != nil {
				return err
			}
			copy(room, own[off:])
			n.what = a.word(at, bytes)
		}
		if before := off - step; before >= 0 && before < len(own) {
			if err := a.combineSlice(n, c, own[before:min(off, len(own))]); err != nil {
				return err
			}
		}
		a.boards[a.rank].publish(n, a.step)
		if before := off - 2*step; before >= 0 && receives {
			if err := a.copySlices(c.Recv[before:min(before+step, len(own))], elem); err != nil {
				return err
			}
		}
		a.next()
	}
	a.delay = 0
	return nil
}

// combineSlice combines this rank's slice of a chunk that all posted in the step before into the
// store, and writes its place to n.
func (a *Arena) combineSlice(n *entry, c *Call, own []byte) error {
	from, to := a.slice(a.rank, len(own), c.Shape.Elem)
	if from == to {
		return nil
	}
	result, at, err := a.room(to - from)
	if err != nil {
		return err
	}
	a.prefetch()
	for r := range a.ranks {
		a.parts[r] = own[from:to]
		if r == a.rank {
			continue
		}
		n, err := a.entryOf(r)
		if err != nil {
			return err
		}
		all, err := a.data(r, n.what, len(own))
		if err != nil {
			return err
		}
		a.parts[r] = all[from:to]
	}
	c.Op.CombineAll(result, a.parts)
	clear(a.parts)
	binary.LittleEndian.PutUint64(n.data[:], uint64(a.word(at, to-from)))
	return nil
}

// copySlices copies the slices of a chunk that were posted in the step before to the result.
func (a *Arena) copySlices(result []byte, elem int) error {
	for i := range a.ranks {
		r := a.after(i)
		from, to := a.slice(r, len(result), elem)
		if from == to {
			continue
		}
		n, err := a.entryOf(r)
		if err != nil {
			return err
		}
		slice, err := a.data(r, word(binary.LittleEndian.Uint64(n.data[:])), to-from)
		if err != nil {
			return err
		}
		a.fetch(result[from:to], slice)
	}
	return nil
}

// ReduceScatterSlices copies a part of every block in at all ranks, and each combines its own into
// the result.
func ReduceScatterSlices(a *Arena, c *Call) error {
	own, longest, mine := c.input(), c.longest(), c.length(a.rank)
	step := a.share(longest, c.Shape.Elem)
	err := a.inSteps(longest, step, func(off int) error {
		return a.deal(c, own, off, step)
	}, func(off int) error {
		if n := part(mine, off, step); n > 0 {
			return a.combineDealt(c, own, off, step, n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.Shape.InPlace {
		copy(c.Recv, a.spare[:mine])
	}
	return nil
}

// combineDealt combines n bytes at off of this rank's block, of all ranks, into the result.
func (a *Arena) combineDealt(c *Call, own []byte, off, step, n int) error {
	at := c.sendAt(a.rank) + off
	for r := range a.ranks {
		a.parts[r] = own[at : at+n]
		if r == a.rank {
			continue
		}
		from, err := a.dealt(r, step, n)
		if err != nil {
			return err
		}
		a.parts[r] = from
	}
	c.Op.CombineAll(a.target(c, off, n), a.parts)
	clear(a.parts)
	return nil
}

// target returns the memory for a part of the result: in place it is separate memory, because the
// input is still needed.
func (a *Arena) target(c *Call, off, n int) []byte {
	if !c.Shape.InPlace {
		return c.Recv[off : off+n]
	}
	if mine := c.length(a.rank); len(a.spare) < mine {
		a.spare = make([]byte, mine)
	}
	return a.spare[off : off+n]
}
