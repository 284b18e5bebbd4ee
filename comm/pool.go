package comm

import "math/bits"

// A pool holds free buffers for messages that are not contiguous, by powers of two.
// It grows with the greatest number of them in progress and never shrinks.
type pool struct {
	free    [bits.UintSize][][]byte
	records []*strided
}

// take returns n bytes, which are not zeroed.
func (p *pool) take(n int) []byte {
	class := class(n)
	list := p.free[class]
	if len(list) == 0 {
		return make([]byte, n, 1<<class)
	}
	b := list[len(list)-1]
	p.free[class] = list[:len(list)-1]
	return b[:n]
}

func (p *pool) give(b []byte) {
	class := class(cap(b))
	p.free[class] = append(p.free[class], b)
}

// class returns the logarithm of the least power of two that is at least n.
func class(n int) int { return bits.Len(uint(max(n, 1) - 1)) }
