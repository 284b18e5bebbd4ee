package sockets

import "sync/atomic"

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
