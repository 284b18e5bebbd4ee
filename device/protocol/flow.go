package protocol

import "math/bits"

// mostAnnounced bounds the sends to one peer that are announced and not yet matched. The receiver
// keeps some 150 bytes of each, which are outside of the eager budget: a send must be announced to
// be matched in any order, so the bound is far above what programs have under way. Further sends
// wait for those before them, and a peer that announces more breaks the protocol.
const mostAnnounced = 1 << 18

// flow is the credit-based flow control of eager memory between this rank and one peer. Sending
// spends units, and the receiver returns them when it no longer holds the message. Counters are
// cumulative modulo 2^32 and travel in every header, so that no update can be lost or applied
// twice.
type flow struct {
	budget uint32 // units each side may have outstanding

	spent uint32 // by this rank, sending to the peer
	back  uint32 // of these, what the peer has freed

	held       uint32 // of the peer's messages, units now in this rank's memory
	freed      uint32 // of the peer's messages, units freed in all
	advertised uint32 // value of freed in the last header pushed to the peer

	announced int // sends to the peer that it has not matched, as far as this rank knows
	unasked   int // sends of the peer that no receive here has matched
}

// room reports whether n more units may be spent.
func (f *flow) room(n uint32) bool { return f.spent-f.back+n <= f.budget }

// onCredit records the credit in a header from the peer. It reports false for a credit that no
// correct peer sends.
func (f *flow) onCredit(credit uint32) bool {
	if credit-f.back > f.spent-f.back {
		return false
	}
	f.back = credit
	return true
}

// reserve reserves n units of this rank's memory for a message of the peer. It reports false if the
// peer exceeds its budget.
func (f *flow) reserve(n uint32) bool {
	f.held += n
	return f.held <= f.budget
}

// shouldSendCredit reports whether freed memory must be advertised in a packet of its own.
func (f *flow) shouldSendCredit() bool { return (f.freed-f.advertised)*2 > f.budget }

// withCredit returns h with the credit, for a packet that is pushed to the peer now.
func (f *flow) withCredit(h Header) Header {
	h.W1 |= uint64(f.freed) << 32
	return h
}

// unit is the granularity of eager memory, in bytes. overhead is added for the bookkeeping of each
// message.
const (
	unit     = 64
	overhead = 192
)

// maxUnits keeps differences of the 32-bit counters unambiguous.
const maxUnits = 1 << 28

// leastUnits always has room for one small message while the credit for another is on its way.
const leastUnits = 16

// cost returns the eager memory that a message of size bytes may take at the receiver, in units:
// its size class, so that the budget bounds allocated memory.
func cost(size int) uint32 {
	return uint32(1) << class(size+overhead)
}

// class returns the size class of eager memory for size bytes: class c holds up to unit<<c bytes.
func class(size int) int {
	if size <= unit {
		return 0
	}
	return bits.Len(uint(size-1) / unit)
}

func budgetUnits(bytes int) uint32 {
	return uint32(min(max(bytes/unit, leastUnits), maxUnits))
}

// largestEager returns the size of the largest message that fits an unused budget.
func largestEager(budget uint32) int {
	return max(0, unit<<(bits.Len32(budget)-1)-overhead)
}

// pool allocates the memory of unexpected eager messages, by size class. The memory in use is
// bounded by flow control, the free memory by most.
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
