package shared

// Short vectors are combined by every rank that needs the result. Of long ones every rank combines
// its own slice of all vectors. Either way the vectors are combined in the order of ranks, so the
// result is the same on all ranks and in all runs, also for operators that do not commute, and for
// sums of floating-point numbers.

// combine combines the same part of all ranks' vectors, in the order of ranks, into dst.
// own is this rank's part. The other parts are valid until the step ends.
func (a *Arena) combine(c *Call, dst, own []byte) error {
	a.prefetch()
	for r := range a.ranks {
		if r == a.rank {
			a.parts[r] = own
			continue
		}
		from, err := a.posted(r, len(own))
		if err != nil {
			return err
		}
		a.parts[r] = from
	}
	a.fold(c, dst, a.parts)
	return nil
}

// fold combines parts into dst, which may be any of them.
func (a *Arena) fold(c *Call, dst []byte, parts [][]byte) {
	if a.rank > 0 && a.rank < len(parts) && &dst[0] == &parts[a.rank][0] {
		// In place: combining the first parts must not overwrite this rank's own part.
		a.spare = append(a.spare[:0], parts[a.rank]...)
		parts[a.rank] = a.spare[:len(parts[a.rank])]
	}
	c.Op.CombineAll(dst, parts)
	clear(parts)
}

// Reduce copies vectors in at all other ranks and combines them at the root.
func Reduce(a *Arena, c *Call) error {
	own := c.Send
	if a.rank == c.Shape.Root {
		own = c.input()
	}
	step := a.chunk(len(own), c.Shape.Elem)
	for off := 0; off < len(own); off += step {
		n := min(step, len(own)-off)
		var err error
		if a.rank == c.Shape.Root {
			err = a.combine(c, c.Recv[off:off+n], own[off:off+n])
		} else {
			err = a.post(own[off : off+n])
		}
		if err != nil {
			return err
		}
		a.next()
	}
	return nil
}

// Allreduce copies vectors in and combines all of them at every rank.
func Allreduce(a *Arena, c *Call) error {
	own := c.input()
	step := a.chunk(len(own), c.Shape.Elem)
	return a.inSteps(len(own), step, func(off int) error {
		return a.post(own[off:min(off+step, len(own))])
	}, func(off int) error {
		end := min(off+step, len(own))
		return a.combine(c, c.Recv[off:end], own[off:end])
	})
}

// Scan copies vectors in and combines those of the ranks up to this one, for Scan and Exscan.
func Scan(a *Arena, c *Call) error {
	own, upTo := c.input(), a.rank+1
	if c.Shape.Kind == exscan {
		upTo = a.rank
	}
	step := a.chunk(len(own), c.Shape.Elem)
	for off := 0; off < len(own); off += step {
		n := min(step, len(own)-off)
		if err := a.post(own[off : off+n]); err != nil {
			return err
		}
		for r := range upTo {
			a.parts[r] = own[off : off+n]
			if r == a.rank {
				continue
			}
			from, err := a.posted(r, n)
			if err != nil {
				return err
			}
			a.parts[r] = from
		}
		if upTo > 0 {
			a.fold(c, c.Recv[off:off+n], a.parts[:upTo])
		}
		a.next()
	}
	return nil
}
