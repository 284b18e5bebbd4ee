package bench

import (
	"fmt"
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

// waitForStart waits for the time that rank 0 announces along a binomial tree. The barrier before
// it ensures that all ranks have finished the previous event; a rank is late only because of noise.
// It reports whether this rank was in time.
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
	inTime = g.now() <= at
	for g.now() < at {
	}
	return inTime, nil
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

// syncTag is the tag of messages that compare clocks.
const syncTag int32 = 4

// clockNet implements clock.Net over the channel.
type clockNet struct{ *rank }

func (n clockNet) Rank() int { return n.ch.Rank() }

func (n clockNet) Size() int { return n.ch.Size() }

func (n clockNet) Now() int64 { return n.now() }

func (n clockNet) Send(to int, word int64) error {
	return n.link.sendWord(to, syncTag, uint64(word))
}

func (n clockNet) Recv(from int) (int64, error) {
	w, err := n.link.recvWord(from, syncTag)
	return int64(w), err
}

// synchronise computes the map from this rank's clock to rank 0's, and returns its error bound in
// seconds.
func (r *rank) synchronise() (float64, error) {
	var err error
	if r.model, err = clock.Synchronise(clockNet{r}, clock.DefaultEffort); err != nil {
		return 0, fmt.Errorf("clocks could not be compared: %w", err)
	}
	return r.model.Bound(r.now()), nil
}

// checkClock measures the current error of the ranks' clocks.
func (r *rank) checkClock() (clock.Deviation, error) {
	d, err := clock.Check(clockNet{r}, r.model)
	if err != nil {
		return d, fmt.Errorf("clocks could not be compared: %w", err)
	}
	return d, nil
}

// toGlobal maps stamps of this rank's clock to the common clock. Negative stamps mark invalid
// samples (the rank missed the start) and stay negative.
func (r *rank) toGlobal(stamps []int64) {
	if r.model == (clock.Model{}) {
		return
	}
	for i, t := range stamps {
		if t < 0 {
			stamps[i] = -r.model.Global(-t)
		} else {
			stamps[i] = r.model.Global(t)
		}
	}
}

// clockStale is the factor by which the error of the clocks may grow before they are synchronised
// again for the next case.
const clockStale = 2

// synchroniseClocks synchronises the ranks' clocks if necessary.
func (c *conductor) synchroniseClocks() error {
	if !c.current.collective() || c.plan.sync(c.ch.Size()) != SyncHCA3 || c.clockKnown > 0 {
		return nil
	}
	reports, err := c.runOnAll(command{Verb: verbSync})
	if err != nil {
		return err
	}
	for _, rep := range reports {
		c.clockKnown = max(c.clockKnown, rep.Clock)
	}
	return nil
}

// clockError returns the error bound of the ranks' clocks in the current case, 0 if all share one
// clock, and clock.Deviation.Excess. Clocks that were stepped or slewed, or whose error has grown,
// are synchronised again for the next case.
func (c *conductor) clockError() (bound, excess float64, err error) {
	if c.clockKnown == 0 || !c.current.collective() {
		return 0, 0, nil
	}
	reports, err := c.runOnAll(command{Verb: verbClock})
	if err != nil {
		return 0, 0, err
	}
	known, now := c.clockKnown, reports[0].Clock
	if now > clockStale*known || reports[0].Excess > 0 {
		c.clockKnown = 0
	}
	return max(known, now), reports[0].Excess, nil
}
