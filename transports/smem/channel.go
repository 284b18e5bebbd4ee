package smem

import (
	"sync/atomic"
	"unsafe"

	"gobench/device/protocol"
	"gobench/internal/release"
)

// A channel is one rank's end of the memory that it shares with one peer: a ring in each direction,
// and one slot with a data area that both ranks write alternately.
//
// The rule: a rank that has read the packet in the slot writes its next packet there; all other
// packets go to its ring. The slot's lines are already in the caches of its core, so an answer
// takes half the time of a ring (docs/notes/smem.md).
//
// The slot belongs to one rank at a time. turn counts the packets that have been in it, as this
// rank knows; side is 0 for the rank that writes the first one:
//
//	turn even, side 0 or turn odd, side 1   this rank may write (push calls answer). Its release
//	                                        store of the word gives the slot to the peer.
//	otherwise                               the peer may write. This rank reads until the word has
//	                                        the mark that is due, takes the packet (pass), and owns
//	                                        the slot.
//
// The low half of the word is the mark: 16 bits of the turn, from 1, and 16 bits of the number of
// packets that the sender had pushed to its ring before, which the receiver takes first. The high
// half is the length of the data, as in a ring. Data that fits neither the slot nor the area is
// stored in the data ring of its direction.
//
// Order of memory and invariants, which channelModel checks without each part
// (docs/notes/weak-memory.md):
//
//	word       its owner writes it, by a release store behind header, data and area, and behind its
//	           reads of the packet before. Who loads the due mark reads the whole packet.
//	look       loads the slot, the ring, and the slot once more: a packet in the ring may have been
//	           pushed behind one in the slot that was written after the first load.
//	invariant  packets arrive in the order of push; the turn of the word is this rank's turn or one
//	           more; a rank never writes the slot twice without a packet of the peer there between.
type channel struct {
	out  producer
	in   consumer
	slot *slot
	area unsafe.Pointer // nil if there is none
	room int            // bytes of area
	turn uint32         // packets in slot so far, of both ranks
	side uint32         // 0 for the rank that writes the first packet to slot, 1 for the other
	ring bool           // the packet that data has returned is in the ring

	asked  bool // this rank has written to slot, and peek has not been called since
	vain   int  // answers in a row that came too late for the longest rest
	rest   int  // parts of turns for which peek does not read slot after that
	expect int  // bytes of area fetched with the first read of slot: those of the last packet, if they were there
}

// A rank that reads the slot just before its peer writes it takes the cache lines away from the
// peer, which doubles the time of the packet. After a rank has written to the slot, peek therefore
// polls only the ring for rest turns, then reads the slot, and reads it again after every gap
// turns. The first read should find the answer: if it does, the next rest is shorter by restLess,
// else longer by restMore. If the rest is too short, the peer has to fetch the line again and its
// answer is found by the 10th to 40th read only, so that these must lengthen the rest, too. Two
// ranks may rest so long that each looks just before the other has answered: where the longest rest
// does not help either, the search begins anew. A rank that has not written to the slot reads it in
// every turn. A turn is one poll of the ring. Rests are in fractions of a turn, because with steps
// of whole turns one answer in five is missed. The values are measured (docs/notes/smem.md).
const (
	parts     = 4 // of a turn
	usualRest = 64 * parts
	maxRest   = 800 * parts
	restLess  = 1
	restMore  = 2 * parts
	maxVain   = 32 // then rest begins anew
	gap       = 16 // turns
	answered  = 64 // reads of the slot after which a packet does not count as an answer, and rest stays
)

// maxExpect is the size in bytes up to which the data in the area is fetched together with the
// slot: the lines of both travel at the same time, where the data would come one core latency
// later. If the peer has not written yet, it must fetch them again, which takes longer than is
// gained for more data.
const maxExpect = 2 << 10

// newEmptyChannel returns a channel to which nothing ever arrives.
func newEmptyChannel() channel {
	never := new(slot)
	return channel{slot: never, in: consumer{end: end{slots: unsafe.Pointer(never), next: never, lap: 1, heads: new(heads)}}}
}

// turnMark returns the low half of the publication word of a turn, before which the sender has
// pushed pos packets to its ring.
func turnMark(turn uint32, pos uint64) uint32 { return turn<<16 | uint32(uint16(pos)) }

// due returns the mark of the next packet if it comes in the slot.
func (c *channel) due() uint32 { return turnMark(c.turn+1, c.in.pos) }

// push publishes one packet of at most layout.packet bytes. It reports false if there is no room.
func (c *channel) push(h protocol.Header, data []byte) bool {
	if c.turn&1 != c.side {
		return c.out.push(h, data)
	}
	return c.answer(h, data)
}

// answer is push to the slot, which is this rank's turn.
func (c *channel) answer(h protocol.Header, data []byte) bool {
	s := c.slot
	n := len(data)
	switch {
	case n <= inlineRoom:
		copy(s.inline[:], data)
	case n <= c.room:
		copy(unsafe.Slice((*byte)(c.area), n), data)
	case !c.out.store(data):
		return false
	}
	s.h0, s.h1, s.h2 = h.W0, h.W1, h.W2
	c.turn++
	c.asked = true
	release.Store(&s.word, uint64(n)<<32|uint64(turnMark(c.turn, c.out.pos)))
	return true
}

// look returns the slot of the next packet and its publication word, if a packet has arrived.
func (c *channel) look() (s *slot, word uint64, ok bool) {
	due := c.due()
	if word = atomic.LoadUint64(&c.slot.word); uint32(word) == due {
		return c.slot, word, true
	}
	ring := atomic.LoadUint64(&c.in.next.word)
	if uint32(ring) != c.in.lap {
		return nil, 0, false
	}
	// A packet that was written to the slot after the first load, and before the one in the ring,
	// comes first.
	if word = atomic.LoadUint64(&c.slot.word); uint32(word) == due {
		return c.slot, word, true
	}
	return c.in.next, ring, true
}

// peek polls like look, at most turns times, and rest times more if this rank has written to the
// slot.
func (c *channel) peek(turns int) (s *slot, word uint64, ok bool) {
	due, next, lap := c.due(), c.in.next, c.in.lap
	wait, pause, looks := 0, 0, answered
	if c.asked {
		c.asked = false
		wait, pause, looks = c.rest/parts, gap, 0
		turns += wait
	}
	for range turns {
		if wait--; wait < 0 {
			wait = pause
			if looks == 0 && c.expect > 0 {
				release.Fetch(c.area, c.expect)
			}
			looks++
			if word = atomic.LoadUint64(&c.slot.word); uint32(word) == due {
				c.learn(looks)
				return c.slot, word, true
			}
		}
		if word = atomic.LoadUint64(&next.word); uint32(word) == lap {
			if earlier := atomic.LoadUint64(&c.slot.word); uint32(earlier) == due { // as in look
				return c.slot, earlier, true
			}
			return next, word, true
		}
	}
	return nil, 0, false
}

// The numbers of reads mean: 1, the answer was there when the rank looked first, so it may rest
// less; 2 to answered, the rank has looked too early and has slowed its peer down, so it rests
// more; above, the peer was busy with something else, which says nothing about rests.
//
// learn adapts rest to an answer that the n-th read of the slot has found.
func (c *channel) learn(n int) {
	switch {
	case n == 1:
		c.rest, c.vain = max(c.rest-restLess, parts), 0
	case n > answered:
	case c.rest < maxRest:
		c.rest = min(c.rest+restMore, maxRest)
	default:
		if c.vain++; c.vain == maxVain {
			c.rest, c.vain = usualRest, 0
		}
	}
}

// A peer may write anything into the slot and the ring at any time. What is read twice is therefore
// read into a local first, lengths are checked against packet before they are used, and positions
// are kept in this rank's own memory. So a wrong peer can make this rank deliver wrong data, or
// give it up, and nothing else; words that no correct peer writes are found while nothing else
// arrives.
//
// garbage reports whether the ring or the slot holds a publication word that no correct peer
// writes. It returns that word and the one that is due. No packet has arrived.
func (c *channel) garbage() (word uint64, due uint32, found bool) {
	if word = atomic.LoadUint64(&c.in.next.word); uint32(word) != c.in.lap && uint32(word) != c.in.lap-1 {
		return word, c.in.lap, true
	}
	word = atomic.LoadUint64(&c.slot.word)
	switch turn, ahead := uint16(word>>16), uint16(word)-uint16(c.in.pos); {
	case turn == uint16(c.turn), turn == uint16(c.turn+1) && uint64(ahead) <= c.in.slotMask+1:
		return 0, 0, false
	}
	return word, c.due(), true
}

// packet returns the packet in slot s with this publication word. data is valid until pass. packet
// reports false if the length is impossible: then the channel is corrupt and must not be used any
// more.
func (c *channel) packet(s *slot, word uint64) (h protocol.Header, data []byte, ok bool) {
	data, ok = c.data(s, word)
	return protocol.Header{W0: s.h0, W1: s.h1, W2: s.h2}, data, ok
}

// data returns the data of the packet in s, without copying, and remembers where the ring goes on
// behind it (ahead), so that pass can advance.
func (c *channel) data(s *slot, word uint64) (data []byte, ok bool) {
	n := int(uint32(word >> 32))
	c.ring, c.in.ahead, c.expect = s != c.slot, c.in.dataPos, 0
	switch {
	case n <= inlineRoom:
		return s.inline[:n:n], true
	case n <= c.room && !c.ring:
		if n <= maxExpect {
			c.expect = n
		}
		return unsafe.Slice((*byte)(c.area), n), true
	case n > int(c.in.packet):
		return nil, false
	}
	from, to := c.in.span(n)
	c.in.ahead = to
	return unsafe.Slice((*byte)(c.in.at(from)), n), true
}

// pass ends the use slot of the packet that packet has returned.
func (c *channel) pass() {
	if !c.ring {
		c.turn++
	}
	c.out.row = 0
	c.in.pass(c.ring)
}
