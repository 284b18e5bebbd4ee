package smem

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/blocking"
	"gobench/internal/launch/host"
	"gobench/internal/limit"
	"gobench/internal/sharedmem"
)

// segment is the memory through which one rank receives, as mapped by itself
// or by a peer.
type segment struct {
	header []byte
	mem    []byte // lines and rings
	layout layout
}

// newSegment returns the segment of the rank at a place in the memory of all of them.
func newSegment(all []byte, l layout, index int) segment {
	header, mem := index*headerStride, l.headers()+index*l.size()
	return segment{all[header : header+headerStride : header+headerStride], all[mem : mem+l.size() : mem+l.size()], l}
}

// at returns an address behind the header, word one of the header, and bell the word on which the
// owner sleeps. Offsets are of the layout, never of a peer.
func (s segment) at(offset int) unsafe.Pointer { return unsafe.Pointer(&s.mem[offset]) }
func (s segment) word(offset int) *uint64      { return (*uint64)(unsafe.Pointer(&s.header[offset])) }
func (s segment) bell() *blocking.Word         { return (*blocking.Word)(unsafe.Pointer(&s.header[wordBell])) }

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

// newChannel returns the end of a channel of the rank at place own, whose segment is mine, with the
// one at place peer.
func newChannel(own, peer int, mine, theirs segment) channel {
	l := mine.layout
	c := channel{
		out: newProducer(l, theirs.at(l.ring(peer, own)), theirs.at(l.headLine(own))),
		in:  newConsumer(l, mine.at(l.ring(own, peer)), mine.at(l.headLine(peer))),

		rest: usualRest,
	}
	if own < peer {
		c.slot = (*slot)(theirs.at(l.turnLine(own)))
	} else {
		c.slot, c.side = (*slot)(mine.at(l.turnLine(peer))), 1
	}
	if l.area > 0 {
		owner, offset := l.areaOf(own, peer)
		c.room = l.area
		if c.area = mine.at(offset); owner == peer {
			c.area = theirs.at(offset)
		}
	}
	return c
}

// marks returns the words of the marks.
func (s segment) marks() []uint64 { return unsafe.Slice((*uint64)(s.at(0)), s.layout.marks()) }

// Many peers set marks in one word, so they are set by an atomic OR, but only if the bit is not
// set: the line then stays shared in the caches of all while packets of one peer are not read. The
// owner clears whole words by a swap.
//
// mark notes that the rank at a place has pushed a packet.
func (s segment) mark(index int) {
	word, bit := &s.marks()[index/64], uint64(1)<<(index%64)
	if atomic.LoadUint64(word)&bit == 0 {
		atomic.OrUint64(word, bit)
	}
}

// marked reports whether the rank at a place has pushed a packet that was not looked for.
func (s segment) marked(index int) bool {
	return atomic.LoadUint64(&s.marks()[index/64])&(1<<(index%64)) != 0
}

// leave publishes the goodbye of the owner.
func (s segment) leave(word uint64) { atomic.StoreUint64(s.word(wordGoodbye), word+1) }

// goodbye returns the goodbye of the owner, false if it has said none.
func (s segment) goodbye() (word uint64, ok bool) {
	word = atomic.LoadUint64(s.word(wordGoodbye))
	return word - 1, word != 0
}

// close marks the segment when its owner closes; it is never unmarked. Peers deliver what they find
// and then report the owner. cuts reports whether the owner has given any peer up, so that others
// need not look into each ring for it.
func (s segment) close()       { atomic.StoreUint64(s.word(wordClosed), 1) }
func (s segment) closed() bool { return atomic.LoadUint64(s.word(wordClosed)) != 0 }
func (s segment) cuts() bool   { return atomic.LoadUint64(s.word(wordCuts)) != 0 }

// checkRoom returns an error unless want bytes leave a sixteenth of the available memory free. All
// segments are reserved when the transport is opened, so that a rank gets an error there, and not a
// SIGBUS in the middle of a message. The kernel would grant the reservation all the same and then
// kill processes, not only those of the job.
func checkRoom(want int) error {
	if room := host.AvailableMemory(); int64(want) > room-room/16 {
		return fmt.Errorf("%d bytes of memory are wanted, %d are available", want, room)
	}
	return nil
}

// createShared makes size bytes of zeroed shared memory behind a memfd, all reserved in advance,
// and returns the file descriptor with the mapping.
func createShared(name string, size int) (fd int, mem []byte, err error) {
	if err := checkRoom(size); err != nil {
		return -1, nil, err
	}
	if fd, mem, err = sharedmem.Create(name, size, true); err != nil {
		return -1, nil, limit.Explain(err)
	}
	return fd, mem, nil
}

// openShared maps memory that process pid holds as descriptor fd.
func openShared(pid, fd int) ([]byte, error) {
	own, err := openDescriptor(pid, fd)
	if err != nil {
		return nil, err
	}
	defer unix.Close(own)
	mem, err := sharedmem.Map(own)
	if err != nil {
		return nil, fmt.Errorf("mapping descriptor %d of process %d: %w", fd, pid, limit.Explain(err))
	}
	return mem, nil
}

// openDescriptor opens the file that process pid holds as descriptor fd.
func openDescriptor(pid, fd int) (int, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	own, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return own, nil
}

// heapMemory returns size zeroed bytes of ordinary memory that start at a
// page, for ranks that share one address space.
func heapMemory(size int) ([]byte, error) {
	if err := checkRoom(size); err != nil {
		return nil, err
	}
	raw := make([]byte, size+pageSize-1)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(raw)))) & (pageSize - 1)
	return raw[skip : skip+size : skip+size], nil
}

// address returns where a buffer begins, also one of no bytes.
func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }
