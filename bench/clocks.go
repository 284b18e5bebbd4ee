package bench

import (
	"fmt"

	"gobench/internal/bench/clock"
)

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
