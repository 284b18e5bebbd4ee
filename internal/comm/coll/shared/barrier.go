package shared

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
