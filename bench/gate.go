package bench

import (
	"slices"

	"gobench/device"
	"gobench/internal/bench/clock"
)

// A gate synchronises the ranks before an event. It does not allocate.
type gate struct {
	link     *link
	ch       device.Channel
	now      func() int64 // ns, this rank's clock
	model    clock.Model  // maps it to the common clock
	start    Start
	lead     int64 // time from the announcement of a start to the start, ns
	token    [1]byte
	received [1]byte
}

const (
	barrierTag int32 = 2
	timeTag    int32 = 3
)

// pass returns when this rank may begin an event, and reports whether it was in time.
func (g *gate) pass() (inTime bool, err error) {
	switch g.start {
	case StartBarrier:
		return true, g.barrier()
	case StartTime:
		return g.waitForStart()
	}
	return true, nil
}

// barrier is a dissemination barrier (Hensgen, Finkel, Manber, "Two Algorithms for Barrier
// Synchronization", 1988): in round k every rank signals the rank 2^k after it.
func (g *gate) barrier() error {
	rank, ranks := g.ch.Rank(), g.ch.Size()
	for d := 1; d < ranks; d *= 2 {
		r, err := g.ch.Irecv(g.received[:], (rank-d+ranks)%ranks, barrierTag, controlContext)
		if err != nil {
			return err
		}
		if err := g.ch.Send(g.token[:], (rank+d)%ranks, barrierTag, controlContext); err != nil {
			return err
		}
		if _, err := g.ch.Wait(r); err != nil {
			return err
		}
	}
	return nil
}

// stepped is the number of leads from which on a start is too far away. Each rank has measured a
// lead of its own, and rank 0 may have doubled its lead up to maxLead.
const stepped = 10

// waitForStart waits for the time that rank 0 announces along a binomial tree. The barrier before
// it ensures that all ranks have finished the previous event; a rank is late only because of noise.
// It reports whether this rank was in time. It is not, and does not wait, if the start is too far
// away: then a clock has been stepped.
func (g *gate) waitForStart() (inTime bool, err error) {
	if err := g.barrier(); err != nil {
		return false, err
	}
	rank, ranks := g.ch.Rank(), g.ch.Size()
	at := g.now() + g.lead
	below := 1 // the children are rank + 1, 2, 4 ... < below
	for below < ranks && rank&below == 0 {
		below *= 2
	}
	word := uint64(g.model.Global(at))
	if rank > 0 {
		if word, err = g.link.recvWord(rank-below, timeTag); err != nil {
			return false, err
		}
		at = g.model.Own(int64(word))
	}
	for d := below / 2; d > 0; d /= 2 {
		if rank+d < ranks {
			if err := g.link.sendWord(rank+d, timeTag, word); err != nil {
				return false, err
			}
		}
	}
	now := g.now()
	if now > at || at-now > stepped*max(g.lead, maxLead) {
		return false, nil
	}
	for g.now() < at {
	}
	return true, nil
}

// calibrate sets the time between announcing a start and the start: twice the median of 15 trial
// announcements, each measured with the barrier before it. Only rank 0's value matters, because
// rank 0 announces absolute times. adaptStart doubles it if ranks miss starts.
func (g *gate) calibrate() error {
	if g.start != StartTime || g.lead > 0 {
		return nil
	}
	const trials = 15
	took := make([]int64, trials)
	for i := range took {
		begin := g.now()
		if _, err := g.waitForStart(); err != nil {
			return err
		}
		// The barrier takes at least as long as the announcement.
		took[i] = g.now() - begin
	}
	slices.Sort(took)
	g.lead = max(2*took[trials/2], 500)
	return nil
}
