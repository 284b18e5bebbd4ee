package sockets

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/blocking"
	"gobench/internal/sharedmem"
)

// A segment is the memory of one connection, which both processes map: a page with the state of
// both directions, then a ring of bytes for each direction. All of it is zero at first, and zero is
// the right start everywhere.
//
// Direction 0 carries what the dialing side writes, direction 1 what the accepting side writes.
const (
	lineSize   = 64
	flowStride = 1024 // from the state of one direction to that of the other
	reachStart = 2 * flowStride
	ringStart  = sharedmem.PageSize

	minBuffer = 4 << 10
	maxBuffer = 64 << 20
)

// flow is the state of one direction. Every block of two cache lines is written by one side, but
// for offer, because prefetchers fetch lines in pairs. What the reader polls is in the first line.
//
// Order of memory, which flowModel checks without each part (docs/notes/weak-memory.md):
//
//	tail     stored behind the bytes of the ring
//	head     stored behind the reads of bytes
//	fin      stored behind the last tail and offer, and loaded before them
//	offer    see the states of an offer
//	sleeps   a side swaps it for 1, then loads tail, offer and fin, or head and offer, then sleeps. The
//	         peer swaps those, then loads sleeps; if it is 1, it swaps it for 0 and rings. All of these
//	         are sequentially consistent.
//
//	invariant    head <= tail <= head + size; a side that sleeps although it could go on has a byte in
//	             its bell, or a peer that will ring.
type flow struct {
	tail   uint64 // bytes written so far: by the writer
	fin    uint64 // 1 when nothing more will be written: by the writer
	offer  uint64 // state of the offer: by both, in turns
	addr   uint64 // of the offered bytes in the writer's memory: by the writer
	length uint64 // of the offered bytes: by the writer
	_      [2*lineSize - 5*8]byte

	head uint64 // bytes read so far: by the reader
	took uint64 // bytes of the offer that were copied: by the reader
	cost uint64 // of copying offers, as in copyCost: by the reader
	_    [2*lineSize - 3*8]byte

	readerSleeps blocking.Word // sleepsOnBell while the reader waits for the bell
	_            uint32
	readerGone   uint64 // 1 when the reader has closed the connection
	_            [2*lineSize - 2*8]byte

	writerSleeps blocking.Word // sleepsOnBell while the writer waits for the bell
}

// sleepsOnBell is the value of a blocking.Word of a side that waits for its bell.
const sleepsOnBell = 1

// bufferSize rounds the size of a ring to a power of two within the bounds.
func bufferSize(n int) int {
	n = min(max(n, minBuffer), maxBuffer)
	return 1 << bits.Len(uint(n-1))
}

func segmentSize(buffer int) int { return ringStart + 2*buffer }

// createSegment makes the memory of a connection. Pages are allocated when they are first written.
func createSegment(buffer int) (fd int, mem []byte, err error) {
	return sharedmem.Create("socket", segmentSize(buffer), false)
}

// openSegment maps the memory that the peer has made. It refuses memory of another size than the
// peer has announced.
func openSegment(fd, buffer int) ([]byte, error) {
	mem, err := sharedmem.Map(fd)
	if err != nil {
		return nil, err
	}
	if len(mem) != segmentSize(buffer) {
		unix.Munmap(mem)
		return nil, fmt.Errorf("the peer's memory has %d bytes, not %d", len(mem), segmentSize(buffer))
	}
	return mem, nil
}

func flowOf(mem []byte, direction int) *flow {
	return (*flow)(unsafe.Pointer(&mem[direction*flowStride]))
}

func ringOf(mem []byte, direction int) []byte {
	size := (len(mem) - ringStart) / 2
	return mem[ringStart+direction*size:][:size:size]
}

// reachOf returns the word in which a side states whether it can read the other's memory.
func reachOf(mem []byte, side int) *uint64 {
	return (*uint64)(unsafe.Pointer(&mem[reachStart+side*2*lineSize]))
}

// Values of reachOf.
const (
	reachUnknown = iota
	reachYes
	reachNo
)

// A producer is the writing end of a direction. It belongs to one goroutine at a time.
type producer struct {
	*flow
	ring []byte
	pos  uint64 // this side's own tail: the shared one is for the peer
	free uint64 // pos may grow up to here
}

func newProducer(mem []byte, direction int) producer {
	ring := ringOf(mem, direction)
	return producer{flow: flowOf(mem, direction), ring: ring, free: uint64(len(ring))}
}

// refresh reads how far the reader is. It reports false if that is impossible.
func (p *producer) refresh() bool {
	head := atomic.LoadUint64(&p.head)
	if p.pos-head > uint64(len(p.ring)) {
		return false
	}
	p.free = head + uint64(len(p.ring))
	return true
}

// room returns how many bytes can be written now, after a refresh if there is no room for want. It
// is negative if the peer has destroyed the state.
func (p *producer) room(want int) int {
	n := p.free - p.pos
	if n < uint64(want) {
		if !p.refresh() {
			return -1
		}
		n = p.free - p.pos
	}
	return int(n)
}

// put copies b, for which there is room, and publishes it. A swap orders what follows, the look
// whether the peer sleeps, after it; so do those of get and wait. The race detector makes a store
// to shared memory without that.
func (p *producer) put(b []byte) {
	at := p.pos & uint64(len(p.ring)-1)
	n := copy(p.ring[at:], b)
	if n < len(b) {
		copy(p.ring, b[n:])
	}
	p.pos += uint64(len(b))
	atomic.SwapUint64(&p.tail, p.pos)
}

// A consumer is the reading end of a direction. It belongs to one goroutine at a time.
type consumer struct {
	*flow
	ring []byte
	pos  uint64 // this side's own head
}

func newConsumer(mem []byte, direction int) consumer {
	return consumer{flow: flowOf(mem, direction), ring: ringOf(mem, direction)}
}

// held returns how many bytes are in the ring, -1 if the peer has destroyed the state.
func (c *consumer) held() int {
	n := atomic.LoadUint64(&c.tail) - c.pos
	if n > uint64(len(c.ring)) {
		return -1
	}
	return int(n)
}

// get copies bytes that are in the ring to all of b, and returns their room.
func (c *consumer) get(b []byte) {
	at := c.pos & uint64(len(c.ring)-1)
	n := copy(b, c.ring[at:])
	if n < len(b) {
		copy(b[n:], c.ring)
	}
	c.pos += uint64(len(b))
	atomic.SwapUint64(&c.head, c.pos)
}

// A copyCost holds what the writer knows of the cost of its two methods for long data. Through the
// ring every cache line passes from core to core twice, which is faster than a copy by the kernel
// between near cores and slower between far cores. Both methods are timed while they are used. The
// costs are in picoseconds per byte, 0 = not known.
type copyCost struct {
	ring   uint64 // of copying into the ring: the reader copies out of it at the same time
	direct uint64 // of the reader's copies of offers
	turn   uint   // of long writes
}

// tryEvery is the number of long writes after which the other method is tried again, because
// threads move from core to core.
const tryEvery = 32

// copies reports whether the next long write should go through the ring.
func (p *copyCost) copies() bool {
	p.turn++
	switch {
	case p.direct == 0:
		return false
	case p.ring == 0:
		return p.turn%2 == 0
	}
	return (p.ring < p.direct) != (p.turn%tryEvery == 0)
}

// maxCost bounds what a copy is believed to take, against preemption and wrong peers.
const maxCost = 10_000

// costOf returns the cost of copying n bytes in that many nanoseconds, mixed with the cost that was
// known.
func costOf(known uint64, n int, took int64) uint64 {
	cost := min(max(1, uint64(took)*1000/uint64(n)), maxCost)
	if known == 0 {
		return cost
	}
	cost = min(cost, 4*known) // the writer was not running
	return max(1, (3*known+cost)/4)
}

// timedFill is fill for long data.
func (c *Conn) timedFill(b []byte) int {
	if len(b) < chunk {
		return c.fill(b)
	}
	begin := now()
	n := c.fill(b)
	c.copyCost.ring = costOf(c.copyCost.ring, n, now()-begin)
	return n
}

// timedCopy is copyFrom, whose cost the writer reads.
func (c *Conn) timedCopy(b []byte, remote uintptr) error {
	begin := now()
	err := c.copyFrom(b, remote)
	if err == nil {
		known := atomic.LoadUint64(&c.in.cost)
		atomic.StoreUint64(&c.in.cost, costOf(min(known, maxCost), len(b), now()-begin))
	}
	return err
}
