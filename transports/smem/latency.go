package smem

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"gobench/device"
	"gobench/internal/blocking"
	"gobench/internal/release"
)

// A latencyLine is a cache line that two ranks pass to each other. A pair has device.CoreLines of
// them, in the segment of the lower rank, which leads.
//
// The leader stores rounds, then raises turn from even to odd; the follower raises it from odd to
// even; and so on, so each store hands the line over, and half of a round is a core latency. A rank
// that arrives late finds the other waiting, and the first latencyWarmup rounds are not timed. A
// measurement that was interrupted leaves turn odd or even: the leader goes on from where it is,
// and the follower rounds down.
type latencyLine struct {
	turn   uint64 // even: the leader increments it; odd: the follower does
	rounds uint64 // number of rounds
}

// latencyWarmup is the number of rounds before the clock is started, so that the time until the
// other rank arrives does not count.
const latencyWarmup = 16

// coreLatency implements device.CoreLatencyMeter for a wire.
func (w *wire) coreLatency(with, line, rounds int) (float64, error) {
	size := len(w.peers)
	if w.closed {
		return 0, device.ErrClosed
	}
	if with < 0 || with >= size || with == w.rank || w.peers[with].index < 0 {
		return 0, &device.ArgumentError{Name: "peer", Value: with, Want: fmt.Sprintf("another rank of 0..%d on this host", size-1)}
	}
	if rounds <= 0 {
		return 0, &device.ArgumentError{Name: "rounds", Value: rounds, Want: "1 or more"}
	}
	if line < 0 {
		return 0, &device.ArgumentError{Name: "line", Value: line, Want: "0 or more"}
	}
	line %= device.CoreLines
	p := &w.peers[with]
	if p.dead {
		return 0, &device.PeerError{Rank: with, Cause: "it was lost before"}
	}
	var half float64
	var err error
	if w.rank < with {
		half, err = w.lead((*latencyLine)(w.own.at(w.layout.latencyLine(p.index, line))), with, rounds)
	} else {
		half, err = w.follow((*latencyLine)(p.segment.at(w.layout.latencyLine(w.peers[w.rank].index, line))), with)
	}
	if err == nil {
		p.learn(half)
		w.choose(p)
	}
	return half, err
}

// learn updates p.far with a new measurement. It takes the minimum of the last few, because
// disturbances only increase a measured latency.
func (p *peer) learn(latency float64) {
	copy(p.recent[1:], p.recent[:])
	p.recent[0] = latency
	shortest := latency
	for _, l := range p.recent {
		if l > 0 {
			shortest = min(shortest, l)
		}
	}
	p.far = shortest > farLatency
}

// surveyRounds is the length of each of the measurements at open.
const surveyRounds = 100

// survey measures the core-to-core latency to every peer once, so that the routes of the first
// messages are right. The pairs follow the order of a round-robin tournament, so that all pairs of
// a round measure at the same time. If ranks outnumber processors, nothing can be measured, and all
// peers count as far.
func (w *wire) survey(ctx context.Context, crowded bool) error {
	defer context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		w.interrupt.CompareAndSwap(nil, &cause)
	})()
	size := len(w.group)
	if crowded {
		for i := range w.peers {
			w.peers[i].far = true
		}
		return nil
	}
	for round := range size + size%2 - 1 {
		index := opponent(w.peers[w.rank].index, round, size+size%2)
		if index >= size {
			continue // an odd one out
		}
		with := w.group[index]
		for line := range 3 {
			if _, err := w.coreLatency(with, line, surveyRounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// opponent returns the partner of rank in a round for an even number of players, by the circle
// method: the last stays, the others rotate.
func opponent(rank, round, players int) int {
	turning := players - 1
	if rank == turning {
		return round * (players / 2) % turning
	}
	with := (2*turning + round - rank) % turning
	if with == rank {
		return turning
	}
	return with
}

// lead makes the rounds as the lower rank: it raises the turn to odd, and waits for the next even
// one. It returns half of a round in seconds.
func (w *wire) lead(line *latencyLine, with, rounds int) (float64, error) {
	turn := atomic.LoadUint64(&line.turn)
	atomic.StoreUint64(&line.rounds, uint64(rounds))
	for range latencyWarmup {
		release.Store(&line.turn, turn+1)
		turn += 2
		if err := w.await(&line.turn, turn, with); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	for range rounds {
		release.Store(&line.turn, turn+1)
		turn += 2
		if err := w.await(&line.turn, turn, with); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(2*rounds), nil
}

// follow makes the rounds of the leader, whose number it reads behind the warm-up, which the leader
// began after it had written it.
func (w *wire) follow(line *latencyLine, with int) (float64, error) {
	// The leader may have raised the turn already: round down to its own.
	turn := atomic.LoadUint64(&line.turn)&^1 + 1
	for range latencyWarmup {
		if err := w.await(&line.turn, turn, with); err != nil {
			return 0, err
		}
		release.Store(&line.turn, turn+1)
		turn += 2
	}
	rounds := atomic.LoadUint64(&line.rounds)
	start := time.Now()
	for range rounds {
		if err := w.await(&line.turn, turn, with); err != nil {
			return 0, err
		}
		release.Store(&line.turn, turn+1)
		turn += 2
	}
	return time.Since(start).Seconds() / float64(2*rounds), nil
}

const (
	// polls before the first yield, without and with PAUSE: far longer than the transfer of a cache
	// line, so that two ranks do not make each other yield
	spins  = 10_000
	pauses = 500

	yields    = 64                    // between readings of the clock
	lookEvery = 10 * time.Millisecond // between looks at the peer and at an interrupt
)

// await waits until *word is want.
func (w *wire) await(word *uint64, want uint64, from int) error {
	if release.Await(word, want, pauses) {
		return nil
	}
	return w.until(from, func() bool { return atomic.LoadUint64(word) == want })
}

// until yields until done reports true, the peer from is lost, or this rank is interrupted.
func (w *wire) until(from int, done func() bool) error {
	var looked time.Time
	for i := 1; !done(); i++ {
		blocking.Yield(w.reach == reachDirect)
		if i%yields != 0 {
			continue
		}
		now := time.Now()
		if now.Sub(looked) < lookEvery {
			continue
		}
		looked = now
		if cause := w.interrupt.Load(); cause != nil {
			return &device.InterruptedError{Rank: from, Cause: *cause}
		}
		w.watch.look(from)
		if cause := w.lost(from); cause != "" {
			return &device.PeerError{Rank: from, Cause: cause}
		}
	}
	return nil
}
