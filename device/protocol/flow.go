package protocol

// mostAnnounced is how many sends to one peer may be announced and not yet matched. The receiver keeps
// some 150 bytes of each, which are outside of the eager budget: a send must be announced to be
// matched in any order, so the bound is far above what programs have under way. Further sends wait for
// those before them, and a peer that announces more breaks the protocol.
const mostAnnounced = 1 << 18

// flow is the account of eager memory between this rank and one peer. Units
// are spent by sending and given back when the receiver no longer holds the
// message. Counters are cumulative modulo 2^32 and travel in every header, so
// that a lost or repeated update cannot exist.
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
