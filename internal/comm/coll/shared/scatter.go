package shared

import (
	"encoding/binary"

	"gobench/comm/schedule"
)

// Scatter copies a part of every block in at the root, side by side, and out at every other rank.
func Scatter(a *Arena, c *Call) error {
	root, longest, mine := c.Shape.Root, c.longest(), c.length(a.rank)
	step := a.share(longest, 1)
	for off := 0; off < longest; off += step {
		n := part(mine, off, step)
		if a.rank == root {
			if err := a.deal(c, c.Send, off, step); err != nil {
				return err
			}
			if n > 0 && !c.Shape.InPlace {
				a.fetch(c.Recv[off:], c.Send[c.sendAt(root)+off:][:n])
			}
		} else if n > 0 {
			from, err := a.dealt(root, step, n)
			if err != nil {
				return err
			}
			a.fetch(c.Recv[off:], from)
		}
		a.next()
	}
	return nil
}

// Alltoall copies the blocks for others in and the blocks from others out, at every rank. Each part
// of a rank's own block is copied behind the posts of that part: a copy of the
// whole block at the end takes longer (docs/notes/smem.md).
func Alltoall(a *Arena, c *Call) error {
	if !c.Shape.Uniform() {
		return alltoallv(a, c)
	}
	bytes := c.Shape.Bytes
	from := c.input() // in place, parts that were copied in may be overwritten
	step := a.share(bytes, 1)
	return a.inSteps(bytes, step, func(off int) error {
		err := a.deal(c, from, off, step)
		if !c.Shape.InPlace {
			at := a.rank*bytes + off
			a.fetch(c.Recv[at:], c.Send[at:at+part(bytes, off, step)])
		}
		return err
	}, func(off int) error {
		n := part(bytes, off, step)
		a.prefetch()
		for i := 1; i < a.ranks; i++ {
			r := a.after(i)
			mine, err := a.dealt(r, step, n)
			if err != nil {
				return err
			}
			a.fetch(c.Recv[r*bytes+off:], mine)
		}
		return nil
	})
}

// unequal is set in the kind of a word by an Alltoall whose blocks differ.
const unequal word = 1 << 6

// head is the number of bytes before the data in what a rank deals in the first step of alltoallv:
// the length of the block, and that of the longest block of the rank for another.
const head = 16

// alltoallv is Alltoall with blocks of any lengths. A rank knows only those of the blocks that it
// sends or receives, so the ranks tell each other:
//
//	first step   every rank deals to each other one the length of its block, the length of the
//	             longest block that it sends, and behind both the block, if it is short. All read
//	             all, compare the length with what they expect, and know the longest block.
//	others       if that is not short, the blocks follow as in Alltoall, as many steps on all ranks
//	             as the longest needs. Each deals in all of them, and reads where a part is expected.
//
// What a step needs is equal on all ranks by then: first by the number of ranks, longest by the
// first step. A rank that calls Alltoall with equal blocks posts words without unequal.
func alltoallv(a *Arena, c *Call) error {
	a.kind |= unequal
	from, longest := c.input(), 0
	for r := range a.ranks {
		if r != a.rank {
			longest = max(longest, c.sends(r))
		}
	}
	first := line
	if a.ranks == 2 { // the entry has room for the only block
		first = tiny
	}
	short := first - head // bytes of the longest block that the first step moves
	err := a.dealEach(a.dealtTo()*first, func(r int, room []byte) {
		n := c.sends(r)
		slot := room[dealtAt(a.rank, r)*first:]
		// Ranks of one host have one order of bytes.
		binary.NativeEndian.PutUint64(slot, uint64(n))
		binary.NativeEndian.PutUint64(slot[8:], uint64(longest))
		if n <= short {
			copy(slot[head:], from[c.sendAt(r):][:n])
		}
	})
	if err != nil {
		return err
	}
	if !c.Shape.InPlace {
		a.fetch(c.Recv[c.recvAt(a.rank):], c.Send[c.sendAt(a.rank):][:c.sends(a.rank)])
	}
	a.prefetch()
	for i := 1; i < a.ranks; i++ {
		r := a.after(i)
		slot, err := a.dealt(r, first, first)
		if err != nil {
			return err
		}
		n, want := binary.NativeEndian.Uint64(slot), c.receives(r)
		if n != uint64(want) {
			return &schedule.LengthError{Peer: r, Got: int(n), Want: want}
		}
		if want <= short {
			copy(c.Recv[c.recvAt(r):], slot[head:][:want])
		}
		longest = max(longest, int(binary.NativeEndian.Uint64(slot[8:])))
	}
	a.next()
	if longest <= short {
		return nil
	}
	step := a.share(longest, 1)
	return a.inSteps(longest, step, func(off int) error {
		return a.deal(c, from, off, step)
	}, func(off int) error {
		a.prefetch()
		for i := 1; i < a.ranks; i++ {
			r := a.after(i)
			n := part(c.receives(r), off, step)
			if n == 0 || c.receives(r) <= short {
				continue // nothing more is expected, or it came in the first step
			}
			mine, err := a.dealt(r, step, n)
			if err != nil {
				return err
			}
			a.fetch(c.Recv[c.recvAt(r)+off:], mine)
		}
		return nil
	})
}

// share returns how many bytes of the block of each rank are moved in one step.
func (a *Arena) share(longest, elem int) int {
	if a.dealtTo()*longest <= tiny {
		return max(longest, 1)
	}
	limit := a.long.piece / a.dealtTo() / line * line
	return max(min(a.chunk(longest, elem), limit)/elem, 1) * elem
}

// dealtTo returns how many blocks a rank deals: one for every other rank.
func (a *Arena) dealtTo() int { return max(1, a.ranks-1) }

// dealtAt returns the number of rank r's block among those that rank from deals.
func dealtAt(from, r int) int {
	if r > from {
		return r - 1
	}
	return r
}

// deal posts the same part of every other rank's block, side by side at distances of step.
func (a *Arena) deal(c *Call, blocks []byte, off, step int) error {
	return a.dealEach(a.dealtTo()*step, func(r int, room []byte) {
		if n := part(c.sends(r), off, step); n > 0 {
			from := c.sendAt(r) + off
			a.put(room[dealtAt(a.rank, r)*step:], blocks[from:from+n])
		}
	})
}

// dealEach posts that many bytes, which fill writes for each other rank.
func (a *Arena) dealEach(bytes int, fill func(r int, room []byte)) error {
	entry, err := a.entry()
	if err != nil {
		return err
	}
	room, at := entry.data[:], 0
	if bytes > tiny {
		if room, at, err = a.room(bytes); err != nil {
			return err
		}
	}
	entry.what = a.word(at, bytes)
	for i := 1; i < a.ranks; i++ {
		fill(a.after(i), room)
	}
	a.boards[a.rank].publish(entry, a.step)
	return nil
}

// dealt returns this rank's part, n bytes, of the blocks that rank r posted with deal.
func (a *Arena) dealt(r, step, n int) ([]byte, error) {
	all, err := a.posted(r, a.dealtTo()*step)
	if err != nil {
		return nil, err
	}
	return all[dealtAt(r, a.rank)*step:][:n], nil
}

// Gather copies blocks in at all ranks and out at the root.
func Gather(a *Arena, c *Call) error {
	root, longest := c.Shape.Root, c.longest()
	step := a.chunk(longest, 1)
	for off := 0; off < longest; off += step {
		if a.rank == root {
			if n := part(c.length(root), off, step); n > 0 && !c.Shape.InPlace {
				a.fetch(c.Recv[c.recvAt(root)+off:], c.Send[off:off+n])
			}
			if err := a.collect(c, off, step); err != nil {
				return err
			}
		} else if n := part(c.length(a.rank), off, step); n > 0 {
			if err := a.post(c.Send[off : off+n]); err != nil {
				return err
			}
		}
		a.next()
	}
	return nil
}

// A rank whose block has no part in a step posts nothing in it, and nobody waits for it: the
// lengths of all blocks are in the Shape of the ranks that read.
//
// collect copies out the part of their blocks that all others posted.
func (a *Arena) collect(c *Call, off, step int) error {
	a.prefetch()
	for i := 1; i < a.ranks; i++ {
		r := a.after(i)
		n := part(c.length(r), off, step)
		if n == 0 {
			continue
		}
		from, err := a.posted(r, n)
		if err != nil {
			return err
		}
		a.fetch(c.Recv[c.recvAt(r)+off:], from)
	}
	return nil
}

// Allgather copies blocks in and out at all ranks.
func Allgather(a *Arena, c *Call) error {
	longest, mine := c.longest(), c.length(a.rank)
	step := a.chunk(longest, 1)
	own := c.Recv[c.recvAt(a.rank):][:mine]
	from := own
	if !c.Shape.InPlace {
		from = c.Send[:mine]
	}
	return a.inSteps(longest, step, func(off int) error {
		n := part(mine, off, step)
		if n == 0 {
			return nil
		}
		err := a.post(from[off : off+n])
		if !c.Shape.InPlace {
			a.fetch(own[off:], from[off:off+n])
		}
		return err
	}, func(off int) error {
		return a.collect(c, off, step)
	})
}

// Bcast copies the vector in at the root, chunk after chunk, and out at all other ranks at the same
// time.
func Bcast(a *Arena, c *Call) error {
	data := c.Recv
	step := a.chunk(len(data), 1)
	for len(data) > 0 {
		n := min(step, len(data))
		if a.rank == c.Shape.Root {
			if err := a.post(data[:n]); err != nil {
				return err
			}
		} else {
			from, err := a.posted(c.Shape.Root, n)
			if err != nil {
				return err
			}
			a.fetch(data, from)
		}
		a.next()
		data = data[n:]
	}
	return nil
}

// Barrier posts an empty entry and waits for those of all other ranks.
func Barrier(a *Arena, _ *Call) error {
	n, err := a.entry()
	if err != nil {
		return err
	}
	n.what = a.word(0, 0)
	a.boards[a.rank].publish(n, a.step)
	a.prefetch()
	for i := 1; i < a.ranks; i++ {
		r := a.after(i)
		n, err := a.entryOf(r)
		if err != nil {
			return err
		}
		if err := a.check(r, n.what, 0); err != nil {
			return err
		}
	}
	a.next()
	return nil
}

// after returns the rank i after this one, so that not all ranks read from the same one first.
func (a *Arena) after(i int) int {
	if r := a.rank + i; r < a.ranks {
		return r
	}
	return a.rank + i - a.ranks
}
