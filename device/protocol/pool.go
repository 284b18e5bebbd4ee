package protocol

// pool lends the memory of unexpected eager messages, by size class. What is
// lent is bounded by the flow accounts of the peers, what lies idle by most.
type pool struct {
	classes [32][][]byte
	idle    int // bytes
	most    int // bytes
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
	p.idle -= cap(b)
	return b[:size]
}

func (p *pool) giveBack(b []byte) {
	if cap(b) == 0 || p.idle+cap(b) > p.most {
		return // to the garbage collector
	}
	p.idle += cap(b)
	c := class(cap(b))
	p.classes[c] = append(p.classes[c], b[:cap(b)])
}
