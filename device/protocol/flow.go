package protocol

import "math/bits"

// maxAnnounced bounds the announced and unmatched sends to one peer. The receiver stores about 150
// bytes for each, which the eager budget does not cover. Messages can be matched in any order only
// once they are announced, so the bound is far above the number that programs have outstanding.
// Further sends wait, and a peer that announces more violates the protocol.
const maxAnnounced = 1 << 18

// flow is the credit-based flow control of eager memory between this rank and one peer. Sending
// spends units, and the receiver returns them when it no longer holds the message. Counters are
// cumulative modulo 2^32 and travel in every header, so that no update can be lost or applied
// twice.
//
// Let A send to B. Each message costs A units when its first packet is pushed (spent), and B holds
// them from then on, until the message is in its receive (freed). B's next packet tells A
// (advertised at B, back at A); if none is due for half of the budget, a credit packet does. So at
// any time
//
//	back(A) <= advertised(B) <= freed(B) <= spent(A) <= back(A) + budget
//
// with differences modulo 2^32, which maxUnits keeps unambiguous. B's held is what it stores for A,
// at most spent(A) - freed(B): a Device never holds a message whose receive is posted. A header
// whose credit is not between back and spent, and a message beyond the budget, break the protocol.
type flow struct {
	budget uint32 // units each side may have outstanding

	spent uint32 // by this rank, sending to the peer
	back  uint32 // part of spent that the peer has freed

	held       uint32 // of the peer's messages, units now in this rank's memory
	freed      uint32 // of the peer's messages, units freed in all
	advertised uint32 // value of freed in the last header pushed to the peer

	announced int // sends to the peer that are not known to be matched
	unasked   int // sends of the peer that no receive here has matched
}

// room reports whether n more units may be spent.
func (f *flow) room(n uint32) bool { return f.spent-f.back+n <= f.budget }

// onCredit records the credit in a header from the peer. It reports false if the credit is invalid.
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

// shouldSendCredit reports whether freed memory must be advertised in its own packet.
func (f *flow) shouldSendCredit() bool { return (f.freed-f.advertised)*2 > f.budget }

// withCredit returns h with the current credit, for a packet that is pushed now.
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

// minUnits is enough for one small message while the credit for another is in flight.
const minUnits = 16

// cost returns the eager memory in units that a message of size bytes takes at the receiver: that
// of its size class, so that the budget bounds the allocated memory.
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

// budgetUnits returns a budget in units, at least minUnits, so that a small message always fits.
func budgetUnits(bytes int) uint32 {
	return uint32(min(max(bytes/unit, minUnits), maxUnits))
}

// largestEager returns the size of the largest message that fits an unused budget.
func largestEager(budget uint32) int {
	return max(0, unit<<(bits.Len32(budget)-1)-overhead)
}

// pool allocates the memory of unexpected eager messages by size class. Flow control bounds the
// memory in use; most bounds the free memory.
type pool struct {
	classes [32][][]byte
	idle    int // bytes
	limit   int // bytes
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

// giveBack keeps memory of lend for a later message of its class, up to limit bytes in all.
func (p *pool) giveBack(b []byte) {
	if cap(b) == 0 || p.idle+cap(b) > p.limit {
		return // left to the garbage collector
	}
	p.idle += cap(b)
	c := class(cap(b))
	p.classes[c] = append(p.classes[c], b[:cap(b)])
}
