package bench

import (
	"fmt"

	"gobench/bench/clock"
)

// Sync says how the clocks of all ranks become one, for collective benchmarks.
type Sync string

const (
	// SyncAuto is SyncShared where all ranks are on one host, else SyncHCA3.
	SyncAuto Sync = ""
	// SyncShared: they are one clock, that of the host.
	SyncShared Sync = "shared"
	// SyncHCA3: they are compared by messages, see clock.Synchronise.
	SyncHCA3 Sync = "hca3"
)

func (p Plan) sync(ranks int) Sync {
	switch {
	case p.Sync != SyncAuto:
		return p.Sync
	case p.localRanks(ranks) == ranks:
		return SyncShared
	}
	return SyncHCA3
}

// syncTag is the tag of messages that compare clocks.
const syncTag int32 = 4

// clockNet is what package clock sees of the channel.
type clockNet struct{ *rank }

func (n clockNet) Rank() int  { return n.ch.Rank() }
func (n clockNet) Size() int  { return n.ch.Size() }
func (n clockNet) Now() int64 { return n.now() }
func (n clockNet) Send(to int, word int64) error {
	return n.link.sendWord(to, syncTag, uint64(word))
}
func (n clockNet) Recv(from int) (int64, error) {
	w, err := n.link.recvWord(from, syncTag)
	return int64(w), err
}

// synchronise makes this rank's map to the clock of rank 0, and returns by how much it
// may be off, in seconds.
func (r *rank) synchronise() (float64, error) {
	var err error
	if r.model, err = clock.Synchronise(clockNet{r}, clock.DefaultEffort); err != nil {
		return 0, fmt.Errorf("clocks could not be compared: %w", err)
	}
	return r.model.Bound(r.now()), nil
}

// checkClock returns by how much the clocks of all ranks are off now, in seconds.
func (r *rank) checkClock() (float64, error) {
	worst, err := clock.Check(clockNet{r}, r.model)
	if err != nil {
		return 0, fmt.Errorf("clocks could not be compared: %w", err)
	}
	return worst, nil
}

// globalise maps what was read on this rank's clock to the clock of all. A reading below
// zero is one that is marked.
func (r *rank) globalise(stamps []int64) {
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

// clockStale is how far the clocks may have gone apart, in multiples of what they were
// known to, before they are compared anew for the next cell.
const clockStale = 2

// agreeOnClock makes one clock of those of all ranks, if it is time to.
func (c *conductor) agreeOnClock() error {
	if !c.cell.Bench.Collective || c.plan.sync(c.ch.Size()) != SyncHCA3 || c.clockKnown > 0 {
		return nil
	}
	reports, err := c.do(command{Verb: verbSync})
	if err != nil {
		return err
	}
	for _, rep := range reports {
		c.clockKnown = max(c.clockKnown, rep.Clock)
	}
	return nil
}

// clockError is by how much a rank's clock may have been off from rank 0's in the cell
// that ends, 0 if they are one clock.
func (c *conductor) clockError() (float64, error) {
	if c.clockKnown == 0 || !c.cell.Bench.Collective {
		return 0, nil
	}
	reports, err := c.do(command{Verb: verbClock})
	if err != nil {
		return 0, err
	}
	known, now := c.clockKnown, reports[0].Clock
	if now > clockStale*known {
		c.clockKnown = 0
	}
	return max(known, now), nil
}
