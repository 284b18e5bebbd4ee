package shared

// inSteps runs an operation in which every rank posts a part of n bytes and reads the same part of
// the others, step after step. If there is more than one part, data posted in a step is read in the
// next one, so that no rank waits for one that is slightly late. Then there are n/step + 1 steps,
// of which the first only writes and the last only reads; delay is 1 in all of them, on all ranks.
func (a *Arena) inSteps(n, step int, write, read func(off int) error) error {
	if n <= step {
		if n == 0 {
			return nil
		}
		if err := write(0); err != nil {
			return err
		}
		if err := read(0); err != nil {
			return err
		}
		a.next()
		return nil
	}
	a.delay = 1
	for off := 0; off < n+step; off += step {
		if off < n {
			if err := write(off); err != nil {
				return err
			}
		}
		if off > 0 {
			if err := read(off - step); err != nil {
				return err
			}
		}
		a.next()
	}
	a.delay = 0
	return nil
}
