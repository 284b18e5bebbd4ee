package shared

// Scatter: the root copies a part of every block in, side by side, and every
// rank copies its own out.
func Scatter(a *Arena, c *Call) error {
	bytes, root := c.Shape.Bytes, c.Shape.Root
	step := a.share(bytes, 1)
	for off := 0; off < bytes; off += step {
		n := min(step, bytes-off)
		if a.rank == root {
			if err := a.deal(c.Send, bytes, off, n); err != nil {
				return err
			}
		} else {
			from, err := a.dealt(root, n)
			if err != nil {
				return err
			}
			copy(c.Recv[off:], from)
		}
		a.next()
	}
	if a.rank == root && !c.Shape.InPlace {
		copy(c.Recv, block(c.Send, root, bytes))
	}
	return nil
}

// Alltoall: all copy in what is for others, and out what is for them.
func Alltoall(a *Arena, c *Call) error {
	bytes := c.Shape.Bytes
	from := c.input() // in place, what has been copied in is free to be overwritten
	step := a.share(bytes, 1)
	for off := 0; off < bytes; off += step {
		n := min(step, bytes-off)
		if err := a.deal(from, bytes, off, n); err != nil {
			return err
		}
		for i := 1; i < a.ranks; i++ {
			r := a.after(i)
			mine, err := a.dealt(r, n)
			if err != nil {
				return err
			}
			copy(c.Recv[r*bytes+off:r*bytes+off+n], mine)
		}
		a.next()
	}
	if !c.Shape.InPlace {
		copy(block(c.Recv, a.rank, bytes), block(c.Send, a.rank, bytes))
	}
	return nil
}

// share is how many bytes of a block of each rank are moved in one step.
func (a *Arena) share(bytes, elem int) int {
	if a.ranks*bytes <= tiny {
		return bytes
	}
	most := a.piece / a.ranks / line * line
	return max(min(a.chunk(bytes, elem), most)/elem, 1) * elem
}

const line = 64

// deal posts the same part of every rank's block, side by side.
func (a *Arena) deal(blocks []byte, bytes, off, n int) error {
	note, err := a.note()
	if err != nil {
		return err
	}
	room := note.data[:]
	if a.ranks*n > tiny {
		if room, note.at, err = a.room(a.step); err != nil {
			return err
		}
	}
	for i := 1; i < a.ranks; i++ {
		r := a.after(i)
		copy(room[r*n:], blocks[r*bytes+off:r*bytes+off+n])
	}
	note.publish(a.step)
	return nil
}

// dealt is this rank's part of what another one has dealt.
func (a *Arena) dealt(r, n int) ([]byte, error) {
	all, err := a.posted(r, a.ranks*n)
	if err != nil {
		return nil, err
	}
	return block(all, a.rank, n), nil
}
