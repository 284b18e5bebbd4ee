package sockets

import (
	"sync/atomic"
	"time"
	"unsafe"

	"gobench/internal/sharedmem"
)

// An offer moves long data in one copy: the writer announces where they are in its memory, and the
// reader copies them from there (cross memory attach). The low bits of flow.offer are the state,
// the others count the offers of the direction. The writer alone changes none to made, and made to
// none (it withdraws); the reader alone changes made to taken, and taken to any other.
//
// made is stored behind the bytes, addr and length, and took as 0. The reader loads it, then
// tail: what is in the ring was written before the offer and comes first. Between taken and its
// answer the bytes, addr and length are the reader's, and it stores took. The writer loads the
// answer, then took, and may then change the bytes. Invariants: the stream is in order, no byte
// is read twice, and nobody but the reader changes the state while it is taken, but for
// offerBroken.
const (
	offerNone     = iota // no offer, or all of it was copied
	offerMade            // the reader may take it, the writer may withdraw it
	offerTaken           // the reader copies
	offerDeclined        // the reader has little room: the rest is to come through the ring
	offerFailed          // the reader cannot copy: neither this offer nor a later one
	offerBroken          // the writer does not wait for the reader any longer: the connection has ended

	offerCode = 7
	offerNext = 8
)

// An offerState is the writer's view of its offer.
type offerState struct {
	made   bool
	parked bool   // the writer may sleep: until a copy has ended, or the ring has room
	count  uint64 // of offers, as the upper bits of the state
	data   *byte  // keeps the data on the heap, where they do not move
}

// An acceptState is the reader's view of an offer.
type acceptState struct {
	count uint64
	took  uint64
}

// Bounds of offers.
const (
	// minTake is the least room of a reader for which an offer is not declined.
	minTake = 16 << 10
	// maxTake is the most data that is copied by one system call.
	maxTake = 1 << 20
	// maxOffer is a length that no memory has.
	maxOffer = 1 << 47
)

// reached reports whether the peer can read the memory of this process.
func (c *Conn) reached() bool { return atomic.LoadUint64(reachOf(c.mem, 1-c.side)) == reachYes }

// Lends reports whether a Write of n bytes is likely to be copied only once: it is long enough, the
// kernel lets the peer read the memory of this process, and the ring has not been faster.
func (c *Conn) Lends(n int) bool {
	c.writing.mu.Lock()
	defer c.writing.mu.Unlock()
	p := &c.copyCost
	return n >= c.direct && !c.closed.Load() && c.reached() && (p.ring == 0 || p.direct == 0 || p.ring >= p.direct)
}

// offer offers b to the reader until the reader has copied all of it, and returns the number of
// bytes copied and the last state. If the reader does not start copying within the poll time, the
// offer is withdrawn (offerNone) once the ring has room, and the data go through the ring:
// otherwise both sides could wait for each other, because the reader may itself wait for what this
// side does after the Write. A writer that sleeps is woken when half of the ring is free. A reader
// that has copied some bytes has copyBudget to continue.
func (c *Conn) offer(b []byte) (n int, code uint64, err error) {
	f, l := c.out.flow, &c.offerState
	l.count += offerNext
	l.made, l.data = true, unsafe.SliceData(b)
	defer func() { l.made, l.data = false, nil }()
	f.addr, f.length = uint64(uintptr(unsafe.Pointer(l.data))), uint64(len(b))
	atomic.StoreUint64(&f.took, 0)
	atomic.SwapUint64(&f.offer, l.count|offerMade)
	c.wake(&f.readerSleeps, c.reading.bell)
	took, since := uint64(0), int64(0) // of the reader: bytes copied, and the time of its last progress
	for {
		err = c.wait(&c.writing, l.parked)
		l.parked = false
		if err == nil && atomic.LoadUint64(&f.readerGone) != 0 {
			err = errGone
		}
		switch code = atomic.LoadUint64(&f.offer) - l.count; code {
		case offerNone, offerDeclined, offerFailed:
			c.copyCost.direct = min(atomic.LoadUint64(&f.cost), maxCost)
			n, err = c.lentBytes(len(b))
			return n, code, err
		case offerMade, offerTaken:
		default:
			return 0, code, errState
		}
		if err == nil {
			if !c.writing.ended.Load() {
				since = now()
				continue
			}
			err = errPipe
		}
		if at := atomic.LoadUint64(&f.took); at != took {
			took, since = at, now()
		}
		if err == errBusy && (code == offerTaken || c.out.room(1) == 0) {
			l.parked = true
			continue
		}
		if err == errBusy && since != 0 && now()-since < int64(copyBudget) {
			time.Sleep(20 * time.Microsecond)
			continue
		}
		if !c.withdraw() {
			return 0, code, errState
		}
		n, wrong := c.lentBytes(len(b))
		switch {
		case wrong != nil:
			err = wrong
		case err == errBusy:
			err = nil
		case err == errGone:
			err = errPipe
		}
		return n, offerNone, err
	}
}

// taking reports whether the reader has begun to copy the offer.
func (c *Conn) taking() bool {
	return atomic.LoadUint64(&c.out.offer)&offerCode == offerTaken || atomic.LoadUint64(&c.out.took) > 0
}

// withdraw takes the offer back. If the reader is copying, it waits for the end of that. It reports
// false if the reader does not end: then the connection is broken.
func (c *Conn) withdraw() bool {
	f, count := c.out.flow, c.offerState.count
	for begin := now(); ; time.Sleep(20 * time.Microsecond) {
		if atomic.CompareAndSwapUint64(&f.offer, count|offerMade, count) {
			return true
		}
		switch atomic.LoadUint64(&f.offer) {
		case count | offerMade:
		case count | offerTaken:
			if now()-begin > int64(c.copyTimeout) || c.writing.bell.dead.Load() {
				atomic.StoreUint64(&f.offer, count|offerBroken)
				return false
			}
		case count, count | offerDeclined, count | offerFailed:
			return true
		default:
			return false
		}
	}
}

// lentBytes returns how much of an offer of n bytes the reader has copied.
func (c *Conn) lentBytes(n int) (int, error) {
	took := atomic.LoadUint64(&c.out.took)
	if took > uint64(n) {
		return 0, errState
	}
	return int(took), nil
}

// accept copies offered data to b. It returns 0 if nothing is offered, or if the data are to come
// through the ring.
func (c *Conn) accept(b []byte) (int, error) {
	f, r := c.in.flow, &c.acceptState
	state := atomic.LoadUint64(&f.offer)
	if state&offerCode != offerMade {
		return 0, nil
	}
	// What is in the ring was written before the offer, also if it was not there yet when the
	// caller looked.
	if c.in.held() != 0 {
		return 0, nil
	}
	count := state &^ offerCode
	if !atomic.CompareAndSwapUint64(&f.offer, state, count|offerTaken) {
		return 0, nil
	}
	if count != r.count {
		*r = acceptState{count: count}
	}
	addr, length := f.addr, f.length
	if length > maxOffer || r.took >= length {
		return 0, errState
	}
	n := min(length-r.took, uint64(len(b)), maxTake)
	answer := uint64(offerMade)
	if left := length - r.took; n < left && n < minTake {
		answer, n = offerDeclined, 0
	} else if err := c.timedCopy(b[:n], uintptr(addr+r.took)); err != nil {
		answer, n = offerFailed, 0
	} else if !c.reading.bell.alive() {
		return 0, nil // its process id may be another's now
	} else if n == left {
		answer = offerNone
	}
	r.took += n
	atomic.StoreUint64(&f.took, r.took)
	if !atomic.CompareAndSwapUint64(&f.offer, count|offerTaken, count|answer) {
		return 0, errState
	}
	c.wake(&f.writerSleeps, c.writing.bell)
	return int(n), nil
}

// copyFrom copies memory of the peer to b.
func (c *Conn) copyFrom(b []byte, remote uintptr) error {
	err := sharedmem.Copy(c.pid, b, remote, false)
	if err != nil {
		atomic.StoreUint64(reachOf(c.mem, c.side), reachNo)
	}
	return err
}
