package smem

import (
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
	"gobench/internal/release"
	"gobench/internal/sharedmem"
	"gobench/internal/simd"
)

// Calibration compares ways to move data by trying them with one pair of ranks: the routines that
// copy into the rings and out of them (simd.Copiers), and for far ranks in two processes messages
// of two sizes by the ring and by the kernel's copy, of which each rank makes half.
const (
	calibrateRounds = 10 // of each trial, of which the fastest counts
	calibrateTime   = 20 * time.Millisecond
	// calibrateGain is the fraction of the usual routine's time below which another routine
	// replaces it.
	calibrateGain = 0.95
	// eagerGain and rndvGain are the fractions of the time of the kernel's copy below which such
	// messages go through the ring. A trial lacks the work of the protocol, which for the shorter
	// one is greater by the kernel's copy, and for the longer one through the ring.
	eagerGain = 1.2
	rndvGain  = 0.85
	// longEager and longRndv are the sizes of these messages, in bytes. Where the ring is faster,
	// the first becomes far_eager, and for the second far_rndv becomes pipeline.
	longEager = 64 << 10
	longRndv  = 1 << 20
)

// A command of the leader in latencyLine.command. Its low half has the numbers, from 1, of the
// routines that copy into the ring and out of it, and a bit for each message of the trials: in a
// result, those for which the ring was faster. Number 0 is Go's copy in a trial, and the usual
// routine in a result.
type command uint64

const (
	passByRing    command = (iota + 1) << 32 // send a message and the answer in packets
	passByKernel                             // the same by the kernel's copy
	resultForNear                            // of the calibration
	resultForFar

	routineBits = 1<<8 - 1
	fetchShift  = 8       // of the routine that copies out
	eagerBit    = 1 << 16 // longEager bytes
	rndvBit     = 1 << 17 // longRndv bytes
	resultBits  = 1<<32 - 1
)

// size returns the size of the message of a trial in bytes.
func (do command) size() int {
	if do&rndvBit != 0 {
		return longRndv
	}
	return longEager
}

// calibrate chooses the ways for peers at the distance of this one. Only the first pairs of a host
// measure; they leave the result in the segment of the lowest rank for the others. It is collective
// over the pair, after coreLatency.
func (w *wire) calibrate(with int) error {
	c := w.newCalibration(with)
	return errors.Join(c.run(), c.free())
}

// calibration is one rank's part of the trials with one peer. As in the loops of benchmarks, a
// message is sent from memory that is not written between messages, and received elsewhere: a
// message from memory that the other core has just written takes the kernel 1.6 times as long.
type calibration struct {
	w        *wire
	with     int
	p        *peer
	line     *latencyLine
	routines []simd.Copier
	out, in  []byte    // what is sent and received
	mapped   []byte    // holds both, if memory could be mapped
	begin    time.Time // of the leader
}

func (w *wire) newCalibration(with int) *calibration {
	p := &w.peers[with]
	return &calibration{w: w, with: with, p: p, routines: simd.Copiers()}
}

// reserve makes memory for the messages, if possible at once: where the processor is virtual, a
// page fault for each page takes several times as long as the trials.
func (c *calibration) reserve() {
	if c.out != nil {
		return
	}
	both, err := unix.Mmap(-1, 0, 2*longRndv, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	if c.mapped = both; err != nil {
		both = make([]byte, 2*longRndv)
	}
	c.out, c.in = both[:longRndv], both[longRndv:]
}

func (c *calibration) free() error {
	if c.mapped == nil {
		return nil
	}
	return unix.Munmap(c.mapped)
}

func (c *calibration) run() error {
	if c.w.rank > c.with {
		c.line = (*latencyLine)(c.p.segment.at(c.w.layout.latencyLine(c.w.peers[c.w.rank].place)))
		return c.follow()
	}
	c.line = (*latencyLine)(c.w.own.at(c.w.layout.latencyLine(c.p.place)))
	return c.lead()
}

func (c *calibration) lead() error {
	distance, result := near, resultForNear
	if c.p.far {
		distance, result = far, resultForFar
	}
	word := c.w.first().word(wordCopiers + 8*distance)
	chosen := command(atomic.LoadUint64(word))
	if chosen == 0 {
		c.begin = time.Now()
		var err error
		if chosen, err = c.bestRoutines(c.w.methods.at(distance)); err != nil {
			return err
		}
		if c.p.far && c.w.reach == reachCMA {
			if chosen, err = c.longMessages(chosen); err != nil {
				return err
			}
		}
		// Pairs that measure at the same time all adopt the first result: ranks with different
		// limits would refuse each other's messages.
		if !atomic.CompareAndSwapUint64(word, 0, uint64(chosen)) {
			chosen = command(atomic.LoadUint64(word))
		}
	}
	turn := atomic.LoadUint64(&c.line.turn)
	atomic.StoreUint64(&c.line.command, uint64(result|chosen))
	release.Store(&c.line.turn, turn+1)
	c.adopt(distance, chosen)
	return c.w.await(&c.line.turn, turn+2, c.with)
}

// bestRoutines returns the numbers of the routines to use: first of that which copies into the
// ring, while Go's copy copies out, then of that which copies out.
func (c *calibration) bestRoutines(usual *way) (command, error) {
	in, err := c.bestRoutine(usual.copier, func(number command, _ simd.Copier) command { return number })
	if err != nil {
		return 0, err
	}
	out, err := c.bestRoutine(usual.fetch, func(number command, r simd.Copier) command {
		if r.Around { // what has arrived is read next
			return 0
		}
		return number<<fetchShift | in
	})
	return out<<fetchShift | in, err
}

// bestRoutine returns the number of the routine to use: that of the usual name if there is no time
// for all, or if no other one takes less than calibrateGain of its time. numbers returns the
// routines of the trial of one, 0 for none.
func (c *calibration) bestRoutine(usual string, numbers func(number command, r simd.Copier) command) (command, error) {
	base, best := 0, 0
	times := make([]time.Duration, len(c.routines))
	for i, r := range c.routines {
		if r.Name == usual {
			base = i
		}
	}
	for i, r := range c.routines {
		trial := numbers(command(i+1), r)
		if trial == 0 {
			continue
		}
		var err error
		times[i], err = c.try(passByRing | eagerBit | trial)
		if err != nil {
			return 0, err
		}
		if times[i] == 0 { // there is no time for all
			return command(base + 1), nil
		}
		if times[i] < times[best] {
			best = i
		}
	}
	if float64(times[best]) < calibrateGain*float64(times[base]) {
		return command(best + 1), nil
	}
	return command(base + 1), nil
}

// longMessages adds the bits of the messages that go faster through the ring, by these routines,
// than by the kernel's copy. A ring in which a message has no room is not tried.
func (c *calibration) longMessages(routines command) (command, error) {
	chosen := routines
	for _, message := range []struct {
		bit  command
		gain float64
	}{{eagerBit, eagerGain}, {rndvBit, rndvGain}} {
		if message.bit.size() > c.w.layout.data {
			break
		}
		ring, err := c.try(passByRing | message.bit | routines)
		if err != nil {
			return routines, err
		}
		kernel, err := c.try(passByKernel | message.bit | routines)
		if err != nil {
			return routines, err
		}
		if ring != 0 && float64(ring) < message.gain*float64(kernel) {
			chosen |= message.bit
		}
	}
	return chosen, nil
}

// try returns the least time in which a command was executed, 0 if the calibration takes too long.
func (c *calibration) try(do command) (least time.Duration, err error) {
	for range calibrateRounds {
		if time.Since(c.begin) > calibrateTime {
			return 0, nil
		}
		turn := atomic.LoadUint64(&c.line.turn)
		atomic.StoreUint64(&c.line.command, uint64(do))
		start := time.Now()
		release.Store(&c.line.turn, turn+1)
		if err = c.send(do); err == nil {
			err = c.receive(do)
		}
		if err == nil {
			err = c.w.await(&c.line.turn, turn+2, c.with)
		}
		if err != nil {
			return 0, err
		}
		if took := time.Since(start); least == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

func (c *calibration) follow() error {
	turn := atomic.LoadUint64(&c.line.turn)&^1 + 1 // as follow of the latency
	for ; ; turn += 2 {
		if err := c.w.await(&c.line.turn, turn, c.with); err != nil {
			return err
		}
		do := command(atomic.LoadUint64(&c.line.command))
		switch kind := do &^ resultBits; kind {
		case resultForNear, resultForFar:
			c.adopt(int((kind-resultForNear)>>32), do&resultBits)
			release.Store(&c.line.turn, turn+1)
			return nil
		default:
			err := c.receive(do)
			if err == nil {
				err = c.send(do)
			}
			if err != nil {
				return err
			}
		}
		release.Store(&c.line.turn, turn+1)
	}
}

// adopt makes a result the usual way of this rank.
func (c *calibration) adopt(distance int, chosen command) {
	way := c.w.methods.at(distance)
	if chosen&routineBits != 0 {
		way.copier = c.routine(chosen).Name
	}
	if chosen>>fetchShift&routineBits != 0 {
		way.fetch = c.routine(chosen >> fetchShift).Name
	}
	if chosen&eagerBit != 0 {
		way.eager = longEager
	}
	if chosen&rndvBit != 0 {
		way.method = protocol.Pipeline
	}
}

// routine returns the routine that a command names.
func (c *calibration) routine(do command) simd.Copier {
	if i := int(do&routineBits) - 1; i >= 0 && i < len(c.routines) {
		return c.routines[i]
	}
	return simd.GoCopy
}

// packets returns the sizes of a message through the ring, which a short ring limits, and of its
// packets, which are those of the protocol.
func (c *calibration) packets(do command) (size, packet int) {
	size = min(do.size(), c.w.layout.data)
	return size, min(size/4, fragment)
}

// room returns the data of a ring.
func (c *calibration) room(e *end) []byte {
	return unsafe.Slice((*byte)(e.bytes), c.w.layout.data)
}

// send sends a message. Through the ring each packet is data at the beginning of the data ring and
// a word that follows it: ten messages that used all of a long ring would touch new memory each
// time, which packets of the protocol do only in their first pass. By the kernel's copy the ranks
// exchange the addresses of their memory, each copies half, and both tell each other that they
// have, as in protocol.Split. If the kernel refuses, the trial is short and wins, and the usual
// limit stays.
func (c *calibration) send(do command) error {
	c.reserve()
	if do&^resultBits == passByRing {
		room := c.room(&c.p.out.end)
		size, packet := c.packets(do)
		for at := 0; at < size; at += packet {
			c.routine(do).Copy(room[at:], c.out[at:at+packet])
			if err := c.push(0); err != nil {
				return err
			}
		}
		return nil
	}
	theirs, err := c.addresses(c.out, true)
	if err == nil {
		_ = sharedmem.Copy(c.p.endpoint.PID, c.out[:do.size()/2], theirs, true)
		err = c.settled()
	}
	return err
}

// receive is the other side of send.
func (c *calibration) receive(do command) error {
	c.reserve()
	if do&^resultBits == passByRing {
		room := c.room(&c.p.in.end)
		size, packet := c.packets(do)
		for at := 0; at < size; at += packet {
			if _, err := c.pop(); err != nil {
				return err
			}
			c.routine(do>>fetchShift).Copy(c.in[at:], room[at:at+packet])
		}
		return nil
	}
	theirs, err := c.addresses(c.in, false)
	if err == nil {
		half := do.size() / 2
		_ = sharedmem.Copy(c.p.endpoint.PID, c.in[half:2*half], theirs+uintptr(half), false)
		err = c.settled()
	}
	return err
}

// addresses exchanges the addresses of memory of both ranks, that of the first rank first.
func (c *calibration) addresses(mine []byte, first bool) (uintptr, error) {
	theirs, err := c.exchange(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mine)))), first)
	return uintptr(theirs), err
}

// settled waits until both have copied.
func (c *calibration) settled() error {
	_, err := c.exchange(0, true)
	return err
}

// exchange exchanges a word with the peer. A rank that is not first sends its own when it has the
// other.
func (c *calibration) exchange(mine uint64, first bool) (theirs uint64, err error) {
	if !first {
		if theirs, err = c.pop(); err != nil {
			return 0, err
		}
	}
	if err = c.push(mine); err == nil && first {
		theirs, err = c.pop()
	}
	return theirs, err
}

// until is wire.until after a time without yields, which would be part of what is measured.
func (c *calibration) until(done func() bool) error {
	for range spins {
		if done() {
			return nil
		}
	}
	return c.w.until(c.with, done)
}

// push sends a word.
func (c *calibration) push(word uint64) error {
	data := unsafe.Slice((*byte)(unsafe.Pointer(&word)), unsafe.Sizeof(word))
	return c.until(func() bool { return c.w.Push(c.with, protocol.Header{}, data) })
}

// pop receives a word.
func (c *calibration) pop() (word uint64, err error) {
	var data []byte
	err = c.until(func() (ok bool) {
		_, data, ok = c.w.Peek(c.with, 1)
		return ok
	})
	if err == nil {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&word)), unsafe.Sizeof(word)), data)
		c.w.Pop(c.with)
	}
	return word, err
}

// first returns the segment of the lowest rank of the group.
func (w *wire) first() segment {
	if lowest := w.group[0]; lowest != w.rank {
		return w.peers[lowest].segment
	}
	return w.own
}
