package shared

// post makes data visible to all in the step under way: in the note if it is short,
// else in a piece of store.
func (a *Arena) post(data []byte) error {
	n, err := a.note()
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
	copy(room, data)
	n.what = a.word(at, len(data))
	a.boards[a.rank].publish(n, a.step)
	return nil
}

// posted is what a rank posted in the step under way, bytes long.
func (a *Arena) posted(r, bytes int) ([]byte, error) {
	n, err := a.from(r)
	if err != nil {
		return nil, err
	}
	if bytes <= tiny {
		return n.data[:bytes], a.check(r, n.what, bytes)
	}
	return a.data(r, n.what, bytes)
}

// chunk is how many bytes of n are moved in one step: all of them if they are few, else
// so many that copying in and copying out overlap, at most a piece, and whole
// elements.
func (a *Arena) chunk(n, elem int) int {
	c := n
	if n > leastChunk {
		c = max(leastChunk, n/overlap)
	}
	c = min(c, a.long.piece)
	return max(c/elem, 1) * elem
}

// Found by measuring: shorter chunks cost more in notes than they bring.
const (
	leastChunk  = 8 << 10
	leastSlices = 16 << 10
	overlap     = 2
)
