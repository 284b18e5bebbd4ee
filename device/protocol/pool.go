package protocol

// pool lends the memory of unexpected eager messages, by size class. What it
// takes from the heap it keeps; the flow account of every peer bounds it.
type pool struct {
	classes [32][][]byte
}

// lend returns size bytes, not zeroed.
func (p *pool) lend(size int) []byte {
	if size == 0 {
		return nil
	}
	c := class(size)
	stack := p.classes[c]
	if len(stack) == 0 {
		return make([]byte, size, unit<<c)
	}
	b := stack[len(stack)-1]
	p.classes[c] = stack[:len(stack)-1]
	return b[:size]
}

func (p *pool) giveBack(b []byte) {
	if cap(b) == 0 {
		return
	}
	c := class(cap(b))
	p.classes[c] = append(p.classes[c], b[:cap(b)])
}
