package smem

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// segment is the memory through which one rank receives, as mapped by itself
// or by a peer.
type segment struct {
	mem    []byte
	layout layout
}

func (s segment) at(offset int) unsafe.Pointer { return unsafe.Pointer(&s.mem[offset]) }
func (s segment) word(offset int) *uint64      { return (*uint64)(s.at(offset)) }

// stamp marks a new segment as one of ours.
func (s segment) stamp(nonce uint64) {
	*s.word(wordNonce) = nonce
	*s.word(wordGeometry) = s.layout.geometry()
	atomic.StoreUint64(s.word(wordMagic), magic)
}

// check refuses memory that its owner has not stamped with nonce.
func (s segment) check(nonce uint64) error {
	switch {
	case len(s.mem) < s.layout.size():
		return fmt.Errorf("its segment has %d bytes, not the %d of this job", len(s.mem), s.layout.size())
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
