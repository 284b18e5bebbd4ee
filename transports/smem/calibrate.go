package smem

import (
	"sync/atomic"
	"time"
	"unsafe"

	"gobench/internal/release"
	"gobench/internal/simd"
)

// Calibration compares the routines that copy (simd.Copiers) by messages through the rings of one
// pair.
const (
	calibrateBytes  = 16 << 10
	calibrateRounds = 10 // of each routine; the fastest counts
	calibrateTime   = 20 * time.Millisecond
	// calibrateGain is the fraction of the usual routine's time below which another routine
	// replaces it.
	calibrateGain = 0.8
)

// Commands of the leader in latencyLine.command: the number of a routine, from 1, by which both
// ranks pass the data once, or calibrated with the result.
const calibrated = 1 << 32

// calibrate chooses the copy routine for peers at the distance of this one. Only the first pairs of
// a host measure; they store the result in the segment of the lowest rank for the others. It is
// collective over the pair, after coreLatency.
func (w *wire) calibrate(with int) error {
	p := &w.peers[with]
	c := calibration{w: w, with: with, p: p, routines: simd.Copiers(), scratch: make([]byte, min(calibrateBytes, w.layout.data))}
	if w.rank > with {
		c.line = (*latencyLine)(p.segment.at(w.layout.latencyLine(w.peers[w.rank].place)))
		return c.follow()
	}
	c.line = (*latencyLine)(w.own.at(w.layout.latencyLine(p.place)))
	return c.lead()
}

type calibration struct {
	w        *wire
	with     int
	p        *peer
	line     *latencyLine
	routines []simd.Copier
	scratch  []byte
}

func (c *calibration) lead() error {
	distance := near
	if c.p.far {
		distance = far
	}
	word := c.w.first().word(wordCopiers + 8*distance)
	chosen := atomic.LoadUint64(word)
	if chosen == 0 {
		usual := c.w.methods.at(distance).copier
		best, err := c.compare(usual)
		if err != nil {
			return err
		}
		chosen = uint64(best) + 1
		atomic.StoreUint64(word, chosen)
	}
	turn := atomic.LoadUint64(&c.line.turn)
	atomic.StoreUint64(&c.line.command, calibrated|uint64(distance)<<16|chosen)
	release.Store(&c.line.turn, turn+1)
	c.adopt(distance, chosen)
	return c.w.await(&c.line.turn, turn+2, c.with)
}

// compare returns the index of the routine to use in place of the usual one.
func (c *calibration) compare(usual string) (int, error) {
	base, best := 0, 0
	times := make([]time.Duration, len(c.routines))
	begin := time.Now()
	for i, r := range c.routines {
		if r.Name == usual {
			base = i
		}
		times[i] = time.Hour
		for range calibrateRounds {
			if time.Since(begin) > calibrateTime {
				return base, nil
			}
			turn := atomic.LoadUint64(&c.line.turn)
			atomic.StoreUint64(&c.line.command, uint64(i)+1)
			start := time.Now()
			r.Copy(c.room(&c.p.out.end), c.scratch)
			release.Store(&c.line.turn, turn+1)
			if err := c.w.await(&c.line.turn, turn+2, c.with); err != nil {
				return 0, err
			}
			copy(c.scratch, c.room(&c.p.in.end))
			times[i] = min(times[i], time.Since(start))
		}
		if times[i] < times[best] {
			best = i
		}
	}
	if float64(times[best]) < calibrateGain*float64(times[base]) {
		return best, nil
	}
	return base, nil
}

func (c *calibration) follow() error {
	turn := atomic.LoadUint64(&c.line.turn)&^1 + 1 // as follow of the latency
	for {
		if err := c.w.await(&c.line.turn, turn, c.with); err != nil {
			return err
		}
		command := atomic.LoadUint64(&c.line.command)
		if command&calibrated != 0 {
			c.adopt(int(command>>16&1), command&0xffff)
			release.Store(&c.line.turn, turn+1)
			return nil
		}
		copy(c.scratch, c.room(&c.p.in.end))
		routine := simd.GoCopy
		if i := int(command) - 1; i >= 0 && i < len(c.routines) {
			routine = c.routines[i]
		}
		routine.Copy(c.room(&c.p.out.end), c.scratch)
		release.Store(&c.line.turn, turn+1)
		turn += 2
	}
}

// adopt sets a result as the usual routine of this rank.
func (c *calibration) adopt(distance int, chosen uint64) {
	if i := int(chosen) - 1; i >= 0 && i < len(c.routines) {
		c.w.methods.at(distance).copier = c.routines[i].Name
	}
}

// room returns the data of a ring, in which there are no packets yet.
func (c *calibration) room(e *end) []byte {
	return unsafe.Slice((*byte)(e.bytes), len(c.scratch))
}

// first returns the segment of the lowest rank of the group.
func (w *wire) first() segment {
	if lowest := w.group[0]; lowest != w.rank {
		return w.peers[lowest].segment
	}
	return w.own
}
