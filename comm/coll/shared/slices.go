package shared

import "gobench/comm/schedule"

const exscan = schedule.Exscan

// slice is the part of n bytes that a rank combines.
func (a *Arena) slice(r, n, elem int) (from, to int) {
	elements := n / elem
	return r * elements / a.ranks * elem, (r + 1) * elements / a.ranks * elem
}

// AllreduceSlices: all copy a chunk in; each combines its slice of it and posts
// that; all copy the slices out.
func AllreduceSlices(a *Arena, c *Call) error { return a.reduceSlices(c, true) }

// ReduceSlices is the same for one rank that copies the slices out.
func ReduceSlices(a *Arena, c *Call) error { return a.reduceSlices(c, a.rank == c.Shape.Root) }

func (a *Arena) reduceSlices(c *Call, receives bool) error {
	own := c.Send
	if c.Shape.InPlace {
		own = c.Recv
	}
	elem := c.Shape.Elem
	step := max(min(len(own), a.long.piece)/elem, 1) * elem
	for off := 0; off < len(own); off += step {
		n := min(step, len(own)-off)
		if err := a.postSlice(c, own[off:off+n]); err != nil {
			return err
		}
		for i := 0; i < a.ranks && receives; i++ {
			r := a.after(i)
			from, to := a.slice(r, n, elem)
			part, err := a.sliceOf(r, to-from)
			if err != nil {
				return err
			}
			copy(c.Recv[off+from:off+to], part)
		}
		a.next()
	}
	return nil
}

// postSlice copies this rank's part in, combines its slice of all ranks' parts and
// posts it in the next step.
func (a *Arena) postSlice(c *Call, own []byte) error {
	room, at, err := a.room(len(own), a.step)
	if err != nil {
		return err
	}
	first, err := a.note()
	if err != nil {
		return err
	}
	copy(room, own)
	first.at = at
	a.boards[a.rank].publish(first, a.step)

	from, to := a.slice(a.rank, len(own), c.Shape.Elem)
	result, at, err := a.room(to-from, a.step+1)
	if err != nil {
		return err
	}
	for r := range a.ranks {
		a.parts[r] = own[from:to]
		if r == a.rank {
			continue
		}
		n, err := a.from(r)
		if err != nil {
			return err
		}
		a.parts[r] = a.data(r, n, len(own))[from:to]
	}
	if to > from {
		c.Op.CombineAll(result, a.parts)
	}
	clear(a.parts)
	a.next()

	second, err := a.note()
	if err != nil {
		return err
	}
	second.at = at
	a.boards[a.rank].publish(second, a.step)
	return nil
}

// sliceOf is the combined slice of a rank.
func (a *Arena) sliceOf(r, bytes int) ([]byte, error) {
	n, err := a.from(r)
	if err != nil {
		return nil, err
	}
	return a.data(r, n, bytes), nil
}

// ReduceScatterSlices: all copy a part of every block in, and each combines its own
// straight to where the result goes.
func ReduceScatterSlices(a *Arena, c *Call) error {
	own, longest, mine := c.input(), c.longest(), c.length(a.rank)
	step := a.share(longest, c.Shape.Elem)
	for off := 0; off < longest; off += step {
		if err := a.deal(c, own, off, step); err != nil {
			return err
		}
		if n := part(mine, off, step); n > 0 {
			if err := a.combineDealt(c, own, off, step, n); err != nil {
				return err
			}
		}
		a.next()
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
