package shared

import (
	"encoding/binary"

	"gobench/comm/schedule"
)

const exscan = schedule.Exscan

// slice is the part of n bytes that a rank combines.
func (a *Arena) slice(r, n, elem int) (from, to int) {
	elements := n / elem
	return r * elements / a.ranks * elem, (r + 1) * elements / a.ranks * elem
}

// AllreduceSlices: all copy a chunk in; each combines its slice of it and posts
// that; all copy the slices out. The three are done for three chunks at a time, so that
// what a rank waits for was posted a while ago.
func AllreduceSlices(a *Arena, c *Call) error { return a.reduceSlices(c, true) }

// ReduceSlices is the same for one rank that copies the slices out.
func ReduceSlices(a *Arena, c *Call) error { return a.reduceSlices(c, a.rank == c.Shape.Root) }

func (a *Arena) reduceSlices(c *Call, receives bool) error {
	own, elem := c.Send, c.Shape.Elem
	if c.Shape.InPlace {
		own = c.Recv
	}
	step := max(min(max(leastSlices, len(own)/overlap), a.long.piece)/elem, 1) * elem
	a.lag = 1
	for off := 0; off < len(own)+2*step; off += step {
		n, err := a.note()
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
	a.lag = 0
	return nil
}

// combineSlice combines this rank's slice of a chunk that all posted in the step before,
// into memory that n says.
func (a *Arena) combineSlice(n *note, c *Call, own []byte) error {
	from, to := a.slice(a.rank, len(own), c.Shape.Elem)
	if from == to {
		return nil
	}
	result, at, err := a.room(to - from)
	if err != nil {
		return err
	}
	a.expect()
	for r := range a.ranks {
		a.parts[r] = own[from:to]
		if r == a.rank {
			continue
		}
		n, err := a.from(r)
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

// copySlices makes the result of a chunk of the slices that were posted in the step before.
func (a *Arena) copySlices(result []byte, elem int) error {
	for i := range a.ranks {
		r := a.after(i)
		from, to := a.slice(r, len(result), elem)
		if from == to {
			continue
		}
		n, err := a.from(r)
		if err != nil {
			return err
		}
		slice, err := a.data(r, word(binary.LittleEndian.Uint64(n.data[:])), to-from)
		if err != nil {
			return err
		}
		copy(result[from:to], slice)
	}
	return nil
}

// ReduceScatterSlices: all copy a part of every block in, and each combines its own
// straight to where the result goes.
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

// target is where a part of the result goes: in place to memory aside, because the
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
