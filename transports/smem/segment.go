package smem

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// segment is the memory through which one rank receives, as mapped by itself
// or by a peer.
type segment struct {
	header []byte
	mem    []byte // lines and rings
	layout layout
}

// newSegment returns the segment of the rank at a place in the memory of all of them.
func newSegment(all []byte, l layout, place int) segment {
	header, mem := place*headerStride, l.headers()+place*l.size()
	return segment{all[header : header+headerStride : header+headerStride], all[mem : mem+l.size() : mem+l.size()], l}
}

func (s segment) at(offset int) unsafe.Pointer { return unsafe.Pointer(&s.mem[offset]) }
func (s segment) word(offset int) *uint64      { return (*uint64)(unsafe.Pointer(&s.header[offset])) }
func (s segment) bell() *uint32                { return (*uint32)(unsafe.Pointer(&s.header[wordBell])) }

// stamp marks a new segment as one of ours.
func (s segment) stamp(nonce uint64) {
	*s.word(wordNonce) = nonce
	*s.word(wordGeometry) = s.layout.geometry()
	atomic.StoreUint64(s.word(wordMagic), magic)
}

// check refuses memory that its owner has not stamped with nonce.
func (s segment) check(nonce uint64) error {
	switch {
	case atomic.LoadUint64(s.word(wordMagic)) != magic, *s.word(wordNonce) != nonce:
		return fmt.Errorf("its segment does not carry the mark that it announced")
	case *s.word(wordGeometry) != s.layout.geometry():
		return fmt.Errorf("its segment is laid out for another job")
	}
	return nil
}

// producer returns the end through which sender writes to owner, whose segment
// this is.
func (s segment) producer(owner, sender int) producer {
	return newProducer(s.layout, s.at(s.layout.ring(owner, sender)), s.at(s.layout.headLine(sender)))
}

// consumer returns the end at which owner reads what sender has written.
func (s segment) consumer(owner, sender int) consumer {
	return newConsumer(s.layout, s.at(s.layout.ring(owner, sender)), s.at(s.layout.headLine(sender)))
}

func (s segment) close()       { atomic.StoreUint64(s.word(wordClosed), 1) }
func (s segment) closed() bool { return atomic.LoadUint64(s.word(wordClosed)) != 0 }
func (s segment) cuts() bool   { return atomic.LoadUint64(s.word(wordCuts)) != 0 }
