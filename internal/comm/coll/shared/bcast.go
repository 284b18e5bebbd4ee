package shared

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
