package shared

// post makes data visible to all ranks in the current step: in the entry if it is short, else in
// the store.
func (a *Arena) post(data []byte) error {
	n, err := a.entry()
	if err != nil {
		return err
	}
	if len(data) <= tiny {
		copy(n.data[:], data)
		n.what = a.word(0, len(data))
		a.boards[a.rank].publish(n, a.step)
		return nil
	}
	room, at, err := a.room(len(data))
	if err != nil {
		return err
	}
	a.put(room, data)
	n.what = a.word(at, len(data))
	a.boards[a.rank].publish(n, a.step)
	return nil
}

// put copies data to this rank's store, for the other ranks to read.
func (a *Arena) put(room, data []byte) {
	if len(data) < bulk {
		copy(room, data)
		return
	}
	a.sharer.Post(room, data)
}

// fetch copies src, data that is posted or this rank's own, to a result, which is at least as long.
func (a *Arena) fetch(result, src []byte) {
	if len(src) < fetchBulk {
		copy(result, src)
		return
	}
	a.sharer.Fetch(result, src)
}

// bulk and fetchBulk are the sizes in bytes from which the routines of the transport differ
// (docs/notes/smem.md).
const (
	bulk      = 1 << 10
	fetchBulk = 2 << 10
)

// posted returns the data, bytes long, that a rank posted for this step.
func (a *Arena) posted(r, bytes int) ([]byte, error) {
	n, err := a.entryOf(r)
	if err != nil {
		return nil, err
	}
	if bytes <= tiny {
		return n.data[:bytes], a.check(r, n.what, bytes)
	}
	return a.data(r, n.what, bytes)
}

// chunk returns the number of bytes, of n, that are moved in one step: all of a short vector, else
// a part, so that copying in and copying out overlap. It is at most one piece, and whole elements.
func (a *Arena) chunk(n, elem int) int {
	c := n
	if n > minChunk {
		c = max(minChunk, n/overlap)
	}
	c = min(c, a.long.piece)
	return max(c/elem, 1) * elem
}

// Measured: with shorter chunks the entries cost more than the overlap saves.
const (
	minChunk  = 8 << 10
	minSlices = 16 << 10
	overlap   = 2
)

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
