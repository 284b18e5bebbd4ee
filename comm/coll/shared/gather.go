package shared

// Gather: all copy in, the root copies out.
func Gather(a *Arena, c *Call) error {
	bytes, root := c.Shape.Bytes, c.Shape.Root
	step := a.chunk(bytes, 1)
	if a.rank == root && !c.Shape.InPlace {
		copy(block(c.Recv, root, bytes), c.Send)
	}
	for off := 0; off < bytes; off += step {
		n := min(step, bytes-off)
		if a.rank != root {
			if err := a.post(c.Send[off : off+n]); err != nil {
				return err
			}
		} else if err := a.collect(c.Recv, bytes, off, n); err != nil {
			return err
		}
		a.next()
	}
	return nil
}

// collect copies what all others posted to the same part of their blocks.
func (a *Arena) collect(to []byte, bytes, off, n int) error {
	for i := 1; i < a.ranks; i++ {
		r := a.after(i)
		from, err := a.posted(r, n)
		if err != nil {
			return err
		}
		copy(to[r*bytes+off:r*bytes+off+n], from)
	}
	return nil
}

func block(b []byte, rank, bytes int) []byte { return b[rank*bytes : (rank+1)*bytes] }

// Allgather: all copy in, and out.
func Allgather(a *Arena, c *Call) error {
	bytes := c.Shape.Bytes
	step := a.chunk(bytes, 1)
	own := block(c.Recv, a.rank, bytes)
	if !c.Shape.InPlace {
		copy(own, c.Send)
	}
	for off := 0; off < bytes; off += step {
		n := min(step, bytes-off)
		if err := a.post(own[off : off+n]); err != nil {
			return err
		}
		if err := a.collect(c.Recv, bytes, off, n); err != nil {
			return err
		}
		a.next()
	}
	return nil
}
