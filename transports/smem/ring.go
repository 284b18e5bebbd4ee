package smem

import (
	"sync/atomic"
	"unsafe"

	"gobench/device/protocol"
	"gobench/internal/release"
)

// A ring carries packets from one producer to one consumer without a lock. It
// has two parts. The slot ring holds one cache line per packet: the
// publication word, the protocol's header and up to 32 bytes of data, so that a
// small packet touches exactly one line. Longer data goes whole into the data
// ring, aligned to lines.
//
// The low half of the publication word is the lap, which counts the producer's passes over the
// slots from 1. The consumer knows the lap that it waits for, so slots are never cleared, and
// zeroed memory is an empty ring. The high half is the length of the data. Both sides derive the
// position of data from the lengths before it.
//
// The consumer returns what it has read in a line of its own (heads), a
// quarter of the ring at a time; the producer looks there only when its last
// knowledge is used up.
//
// A slot is free (its word has the lap before) or full (its lap). The producer alone makes it full,
// the consumer alone frees it, by heads. Order of memory, which ringModel checks without each part
// (docs/notes/weak-memory.md):
//
//	word         the producer writes it, by a release store behind the header and the data; a routine that
//	             bypasses the caches ends with SFENCE. Who loads the due lap reads the whole packet.
//	heads        the consumer writes them, by release stores behind its reads of slots and data. Who
//	             loads them may write what is in front of them.
//	invariant    heads <= the consumer's position <= the producer's position <= heads + size, for slots
//	             and for bytes; a word is of the lap that is due or of the one before.
type slot struct {
	word       uint64
	h0, h1, h2 uint64
	inline     [inlineRoom]byte
}

// heads is the line in which the consumer returns room: positions up to which
// it has consumed, counted from the start of the ring's life.
type heads struct {
	slots, data uint64
	cut         uint64 // 1 once the consumer has given the producer up
}

// end is the common part of producer and consumer.
type end struct {
	slots    unsafe.Pointer // first slot
	bytes    unsafe.Pointer // first byte of the data ring
	heads    *heads
	next     *slot  // where the next packet goes or comes from
	lap      uint32 // its publication number
	pos      uint64 // packets so far
	dataPos  uint64 // bytes of the data ring so far, skipped ones included
	slotMask uint64
	dataSize uint64
}

// newEnd returns an end at the beginning of an empty ring, whose memory is zero.
func newEnd(l layout, ring, heads_ unsafe.Pointer) end {
	e := end{
		slots:    ring,
		bytes:    unsafe.Add(ring, l.slots*lineSize),
		heads:    (*heads)(heads_),
		slotMask: uint64(l.slots - 1),
		dataSize: uint64(l.data),
	}
	e.next, e.lap = (*slot)(ring), 1
	return e
}

// step advances to the next slot.
func (e *end) step() {
	e.pos++
	e.next = (*slot)(unsafe.Add(unsafe.Pointer(e.next), lineSize))
	if e.pos&e.slotMask == 0 {
		e.next = (*slot)(e.slots)
		e.lap++
	}
}

// span returns the position of the next n bytes of data, and of the first byte after them. Data
// does not wrap around the end of the ring.
func (e *end) span(n int) (from, to uint64) {
	need := (uint64(n) + lineSize - 1) &^ (lineSize - 1)
	from = e.dataPos
	if left := e.dataSize - from&(e.dataSize-1); left < need {
		from += left
	}
	return from, from + need
}

// at returns the address of a position in the data ring.
func (e *end) at(pos uint64) unsafe.Pointer { return unsafe.Add(e.bytes, pos&(e.dataSize-1)) }

// A producer knows what the consumer had returned when it last looked, so slotLimit and dataLimit
// are never too large, and it looks again only when they are used up. Everything that it reads of
// the consumer is checked against its own positions.
//
// producer is the sending end.
type producer struct {
	end
	slotLimit uint64 // pos may grow up to here
	dataLimit uint64 // dataPos may grow up to here
	broken    bool   // the consumer has returned more room than it had
	bulk      copier // copies data of bulk bytes and more; nil: Go's copy
	claims    bool   // the lines of later packets of a stream are claimed
	row       int    // packets since this rank has last read one of the other
}

// newProducer returns the end of the sender, which knows all room of the ring to be free.
func newProducer(l layout, ring, heads unsafe.Pointer) producer {
	return producer{end: newEnd(l, ring, heads), slotLimit: uint64(l.slots), dataLimit: uint64(l.data)}
}

// push publishes one packet of at most layout.packet bytes, or reports false
// when there is no room.
func (p *producer) push(h protocol.Header, data []byte) bool {
	if p.pos == p.slotLimit && !p.refresh() {
		return false
	}
	s := p.next
	n := len(data)
	if n <= inlineRoom {
		copy(s.inline[:], data)
	} else if !p.store(data) {
		return false
	}
	s.h0, s.h1, s.h2 = h.W0, h.W1, h.W2
	release.Store(&s.word, uint64(n)<<32|uint64(p.lap))
	if p.row++; p.claims && p.row > claimAfter {
		slot, data, size := p.later(n)
		release.Claim(slot, lineSize)
		if size > 0 {
			release.Claim(data, size)
		}
	}
	p.step()
	return true
}

// The lines of the next packets were read by the consumer when the ring went around. If its core is
// far, the producer of a stream claims those of a later packet, so that they travel while it does
// other work: the slot, and the data if they are short and of the same length. The consumer waits
// for the next slot, which must not be claimed. The values are measured (docs/notes/smem.md).
const (
	claimAfter = 2   // packets in a row
	claimAhead = 4   // packets
	claimData  = 512 // bytes
)

// later returns the slot of the packet claimAhead after one that has been stored with n bytes of
// data, before step, and its data if they are short (else size is 0), all packets until then have
// the same length, and the ring has no gap at its end before it.
func (p *producer) later(n int) (slot, data unsafe.Pointer, size int) {
	slot = unsafe.Add(p.slots, (p.pos+claimAhead)&p.slotMask*lineSize)
	if n <= inlineRoom || n > claimData {
		return slot, nil, 0
	}
	size = (n + lineSize - 1) &^ (lineSize - 1)
	at := p.dataPos + uint64((claimAhead-1)*size)
	if p.dataSize-at&(p.dataSize-1) < uint64(size) {
		return slot, nil, 0
	}
	return slot, p.at(at), size
}

// Data that finds no room leaves the position as it is, so the next try sees the same gap at the
// end of the ring; the gap is skipped only together with data.
//
// store copies data to the data ring, or reports that there is no room.
func (p *producer) store(data []byte) bool {
	from, to := p.span(len(data))
	if to > p.dataLimit && (!p.refresh() || to > p.dataLimit) {
		return false
	}
	p.copy(unsafe.Slice((*byte)(p.at(from)), len(data)), data)
	p.dataPos = to
	return true
}

// copy copies data for the consumer, dst at least as long as src.
func (p *producer) copy(dst, src []byte) {
	if len(src) < bulk {
		copy(dst, src)
	} else {
		p.bulk.copy(dst, src)
	}
}

// refresh reads the positions of the consumer, and reports whether there is a free slot. A consumer
// whose positions are impossible is broken: nothing is pushed to it any more.
func (p *producer) refresh() bool {
	slots, data := atomic.LoadUint64(&p.heads.slots), atomic.LoadUint64(&p.heads.data)
	if p.pos-slots > p.slotMask+1 || p.dataPos-data > p.dataSize {
		p.broken = true
		return false
	}
	p.slotLimit = slots + p.slotMask + 1
	p.dataLimit = data + p.dataSize
	return p.pos != p.slotLimit
}

// A consumer returns room in its own line, never in the ring: writing there would take lines from
// the producer that it is about to fill.
//
// consumer is the receiving end.
type consumer struct {
	end
	returned     uint64 // pos last returned to the producer
	dataReturned uint64
	ahead        uint64 // dataPos after the packet that data has returned
	packet       uint32 // most data of one packet
}

// newConsumer returns the end of the receiver.
func newConsumer(l layout, ring, heads unsafe.Pointer) consumer {
	return consumer{end: newEnd(l, ring, heads), packet: uint32(l.packet())}
}

// pass advances behind the data of a packet, and past its slot if that was one of the ring. It
// returns room to the producer if that is due.
func (c *consumer) pass(slot bool) {
	c.dataPos = c.ahead
	if slot {
		c.step()
	}
	if c.due() {
		c.giveBack()
	}
}

// due reports whether the consumer must return the room that it has kept.
func (c *consumer) due() bool {
	return c.pos-c.returned > c.slotMask>>2 || c.dataPos-c.dataReturned >= c.dataSize>>2
}

// giveBack returns to the producer what has been read.
func (c *consumer) giveBack() {
	c.returned, c.dataReturned = c.pos, c.dataPos
	release.Store(&c.heads.data, c.dataPos)
	release.Store(&c.heads.slots, c.pos)
}
