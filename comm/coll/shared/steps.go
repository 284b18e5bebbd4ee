package shared

// inSteps does an operation in which every rank writes a part of n bytes and reads the
// same part of the others', step after step. If there is more than one part, what
// is written in a step is read in the next one: by then it has been there for a while,
// and no rank waits for one that is a little late.
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
	a.lag = 1
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
	a.lag = 0
	return nil
}
