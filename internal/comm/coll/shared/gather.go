package shared

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
